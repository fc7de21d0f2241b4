// Output processing of one tile: takes the network's result inside the tile's output rectangle back to the image.
//
// Result: f32 blocks of four channels, [network.y, network.x, 4], the fourth unused. Image: RGBA f32, [image.y, image.x, 4],
// with the alpha of the first input image, or 0 for RANGE 3. Workgroup: 8 x 8 pixels of the output rectangle, numbered as
// in input.wgsl. Formulas: docs/denoising.md.
//
// Prelude: const RANGE, TRANSFER as in input.wgsl.

struct Tile {
    image: vec2u,
    network: vec2u,
    input: vec2u,
    output: vec2u,
    output_size: vec2u,
}

struct Frame {
    input_scale: f32,
}

@group(0) @binding(0) var<storage, read> result: array<vec4f>;
@group(0) @binding(1) var<storage, read> image0: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> image: array<vec4f>;
@group(0) @binding(3) var<uniform> tile: Tile;
@group(0) @binding(4) var<uniform> frame: Frame;

const FLT_MAX = 0x1.fffffep+127f;
const PU_SCALE = 0.31896715517604124; // 1 / pu(65504)
const LOG_SCALE = 0.09017228696656844; // 1 / log(65504 + 1)
const LOG_FLT_MAX = 88.7228f;

// NaN to 0, then clamped to [0, FLT_MAX]; by bits, as in input.wgsl.
fn sanitize1(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if (bits > 0x7f800000u) {
        return 0.0;
    }
    return select(x, FLT_MAX, bits == 0x7f800000u);
}

fn sanitize(color: vec3f) -> vec3f {
    return vec3f(sanitize1(color.r), sanitize1(color.g), sanitize1(color.b));
}

fn pu_inverse(x: f32) -> f32 {
    if (x <= 2.23151711e-3) {
        return x / 1.41283765e3;
    }
    if (x <= 3.70974749e-1) {
        return pow((x - -2.94139609e-3) / 1.64593172, 1.0 / 4.31384981e-1);
    }
    return exp(min((x - 9.98620152e-1) / 1.92653254e-1, LOG_FLT_MAX)) - 6.26026094e-3;
}

fn srgb_inverse(x: f32) -> f32 {
    if (x <= 0.04045) {
        return x / 12.92;
    }
    return pow((x + 0.055) / 1.055, 2.4);
}

fn inverse1(x: f32) -> f32 {
    switch TRANSFER {
        case 0u: {
            return pu_inverse(x / PU_SCALE);
        }
        case 1u: {
            return exp(min(x / LOG_SCALE, LOG_FLT_MAX)) - 1.0;
        }
        case 2u: {
            return srgb_inverse(min(x, 1.0));
        }
        default: {
            return x;
        }
    }
}

fn inverse(color: vec3f) -> vec3f {
    return vec3f(inverse1(color.r), inverse1(color.g), inverse1(color.b));
}

fn process(color: vec3f) -> vec3f {
    switch RANGE {
        case 0u: {
            return sanitize(inverse(sanitize(color)) / frame.input_scale);
        }
        case 1u: {
            return min(inverse(sanitize(color)), vec3f(1.0));
        }
        case 2u: {
            return clamp(sanitize(color) * 2.0 - 1.0, vec3f(-1.0), vec3f(1.0));
        }
        default: {
            return color;
        }
    }
}

@compute @workgroup_size(8, 8, 1)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_id) local: vec3u,
) {
    let row_groups = (tile.output_size.x + 7u) / 8u;
    let index = group.y * groups.x + group.x;
    let position = vec2u(index % row_groups, index / row_groups) * 8u + local.xy;
    if (position.x >= tile.output_size.x || position.y >= tile.output_size.y) {
        return;
    }
    let target_pixel = position + tile.output;
    let source_pixel = target_pixel - tile.input;
    let color = result[source_pixel.y * tile.network.x + source_pixel.x].rgb;
    let pixel = target_pixel.y * tile.image.x + target_pixel.x;
    let alpha = select(image0[pixel].a, 0.0, RANGE == 3u);
    image[pixel] = vec4f(process(color), alpha);
}
