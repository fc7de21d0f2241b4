// Input processing of one tile: reads the images, sanitizes, applies the transfer function, writes the network's input tensor.
//
// Images: RGBA f32, [image.y, image.x, 4]. Tensor: [network.y, network.x, ceil(3 x IMAGES / 4)] blocks of four channels, in
// colour, albedo, normal order, unused lanes zero. Workgroup: 8 x 8 pixels of the tensor; workgroups are numbered row by
// row along x, then y, of the dispatch. Formulas: docs/denoising.md.
//
// Prelude: alias value4; const IMAGES, RANGE, TRANSFER, EDGE_ZERO.
//   RANGE     what the first image holds: 0 [0, FLT_MAX], 1 [0, 1], 2 [-1, 1], 3 network space (taken as it is, all images)
//   TRANSFER  0 PU, 1 log, 2 sRGB, 3 none

struct Tile {
    image: vec2u,
    network: vec2u,
    input: vec2u,       // first image pixel that the tile reads
    output: vec2u,      // first image pixel that it puts out
    output_size: vec2u, // pixels that it puts out
}

struct Frame {
    input_scale: f32,
}

@group(0) @binding(0) var<storage, read> image0: array<vec4f>;
@group(0) @binding(1) var<storage, read> image1: array<vec4f>; // the first one again when IMAGES < 2
@group(0) @binding(2) var<storage, read> image2: array<vec4f>; // the first one again when IMAGES < 3
@group(0) @binding(3) var<storage, read_write> tensor: array<value4>;
@group(0) @binding(4) var<uniform> tile: Tile;
@group(0) @binding(5) var<uniform> frame: Frame;

const FLT_MAX = 0x1.fffffep+127f;
const PU_SCALE = 0.31896715517604124; // 1 / pu(65504)
const LOG_SCALE = 0.09017228696656844; // 1 / log(65504 + 1)
const BLOCKS = (3u * IMAGES + 3u) / 4u;

// NaN to 0, then clamped. By bits, because a compiler may assume that there are no NaNs and infinities.
fn sanitize1(x: f32, low: f32, high: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return 0.0;
    }
    if (magnitude == 0x7f800000u) {
        return select(high, low, bits > 0x80000000u);
    }
    return clamp(x, low, high);
}

fn sanitize(color: vec3f, low: f32, high: f32) -> vec3f {
    return vec3f(sanitize1(color.r, low, high), sanitize1(color.g, low, high), sanitize1(color.b, low, high));
}

// PU, piecewise: linear, power, logarithm; divided by its value at 65504.
fn pu(y: f32) -> f32 {
    if (y <= 1.57945760e-6) {
        return 1.41283765e3 * y;
    }
    if (y <= 3.22087631e-2) {
        return 1.64593172 * pow(y, 4.31384981e-1) + -2.94139609e-3;
    }
    return 1.92653254e-1 * log(y + 6.26026094e-3) + 9.98620152e-1;
}

fn srgb(y: f32) -> f32 {
    if (y <= 0.0031308) {
        return 12.92 * y;
    }
    return 1.055 * pow(y, 1.0 / 2.4) - 0.055;
}

fn forward1(y: f32) -> f32 {
    switch TRANSFER {
        case 0u: {
            return pu(y) * PU_SCALE;
        }
        case 1u: {
            return log(y + 1.0) * LOG_SCALE;
        }
        case 2u: {
            return srgb(y);
        }
        default: {
            return y;
        }
    }
}

fn forward(color: vec3f) -> vec3f {
    return vec3f(forward1(color.r), forward1(color.g), forward1(color.b));
}

fn process0(color: vec3f) -> vec3f {
    switch RANGE {
        case 0u: {
            return forward(sanitize(color * frame.input_scale, 0.0, FLT_MAX));
        }
        case 1u: {
            return forward(sanitize(color, 0.0, 1.0));
        }
        case 2u: {
            return sanitize(color, -1.0, 1.0) * 0.5 + 0.5;
        }
        default: {
            return color;
        }
    }
}

fn process1(albedo: vec3f) -> vec3f {
    if (RANGE == 3u) {
        return albedo;
    }
    return sanitize(albedo, 0.0, 1.0);
}

fn process2(normal: vec3f) -> vec3f {
    if (RANGE == 3u) {
        return normal;
    }
    return sanitize(normal, -1.0, 1.0) * 0.5 + 0.5;
}

@compute @workgroup_size(8, 8, 1)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_id) local: vec3u,
) {
    let row_groups = (tile.network.x + 7u) / 8u;
    let index = group.y * groups.x + group.x;
    let position = vec2u(index % row_groups, index / row_groups) * 8u + local.xy;
    if (position.x >= tile.network.x || position.y >= tile.network.y) {
        return;
    }
    let wanted = position + tile.input;
    let nearest = min(wanted, tile.image - 1u);
    let source = nearest.y * tile.image.x + nearest.x;
    var a = process0(image0[source].rgb);
    var b = vec3f();
    var c = vec3f();
    if (IMAGES > 1u) {
        b = process1(image1[source].rgb);
    }
    if (IMAGES > 2u) {
        c = process2(image2[source].rgb);
    }
    if (EDGE_ZERO && any(wanted != nearest)) {
        a = vec3f();
        b = vec3f();
        c = vec3f();
    }
    let target_block = (position.y * tile.network.x + position.x) * BLOCKS;
    tensor[target_block] = value4(vec4f(a, b.r));
    if (IMAGES > 1u) {
        tensor[target_block + 1u] = value4(vec4f(b.gb, c.rg));
    }
    if (IMAGES > 2u) {
        tensor[target_block + 2u] = value4(vec4f(c.b, 0.0, 0.0, 0.0));
    }
}
