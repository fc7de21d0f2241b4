// 3 x 3 convolution, bias and ReLU, the plain way: one thread makes one block of four output channels of one output pixel.
//
// Tensors: [y, x, blocks of four channels]. The input is the source (at half resolution, upsampled nearest, when UPSAMPLE)
// with the skip behind it; beyond the edge it is zero. With POOL an output pixel is the maximum of its 2 x 2 results.
// Weights: OUTPUT_BLOCKS biases, then [tap 9][input block][output block][input lane 4] of four output lanes; taps row by row.
// Workgroup: 8 x 8 output pixels, one output block (z); workgroups are numbered row by row along x, then y, of the dispatch.
//
// Prelude: alias value4 (activations and weights), result4 (output); const SOURCE_BLOCKS, SKIP_BLOCKS, OUTPUT_BLOCKS,
// UPSAMPLE, POOL.

struct Layer {
    size: vec2u, // of the convolution, before pooling
}

@group(0) @binding(0) var<storage, read> source: array<value4>;
@group(0) @binding(1) var<storage, read> skip: array<value4>; // the source again when SKIP_BLOCKS is 0
@group(0) @binding(2) var<storage, read> weights: array<value4>;
@group(0) @binding(3) var<storage, read_write> output: array<result4>;
@group(0) @binding(4) var<uniform> layer: Layer;

const INPUT_BLOCKS = SOURCE_BLOCKS + SKIP_BLOCKS;

fn weight_matrix(tap: u32, input_block: u32, output_block: u32) -> mat4x4f {
    let first = OUTPUT_BLOCKS + ((tap * INPUT_BLOCKS + input_block) * OUTPUT_BLOCKS + output_block) * 4u;
    return mat4x4f(
        vec4f(weights[first]), vec4f(weights[first + 1u]), vec4f(weights[first + 2u]), vec4f(weights[first + 3u]),
    );
}

fn convolve(position: vec2u, output_block: u32) -> vec4f {
    var sum = vec4f(weights[output_block]);
    for (var tap = 0u; tap < 9u; tap++) {
        let p = position + vec2u(tap % 3u, tap / 3u) - 1u; // wraps below zero, and is then too large
        if (p.x >= layer.size.x || p.y >= layer.size.y) {
            continue;
        }
        var source_pixel = p.y * layer.size.x + p.x;
        if (UPSAMPLE) {
            source_pixel = p.y / 2u * (layer.size.x / 2u) + p.x / 2u;
        }
        for (var block = 0u; block < SOURCE_BLOCKS; block++) {
            sum += weight_matrix(tap, block, output_block) * vec4f(source[source_pixel * SOURCE_BLOCKS + block]);
        }
        let skip_pixel = p.y * layer.size.x + p.x;
        for (var block = 0u; block < SKIP_BLOCKS; block++) {
            sum += weight_matrix(tap, SOURCE_BLOCKS + block, output_block) *
                vec4f(skip[skip_pixel * SKIP_BLOCKS + block]);
        }
    }
    return max(sum, vec4f());
}

@compute @workgroup_size(8, 8, 1)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_id) local: vec3u,
) {
    var size = layer.size;
    if (POOL) {
        size = size / 2u;
    }
    let row_groups = (size.x + 7u) / 8u;
    let index = group.y * groups.x + group.x;
    let position = vec2u(index % row_groups, index / row_groups) * 8u + local.xy;
    if (position.x >= size.x || position.y >= size.y) {
        return;
    }
    let block = group.z;
    var value: vec4f;
    if (POOL) {
        // The results are at least 0 after ReLU, so 0 is where a maximum begins.
        for (var corner = 0u; corner < 4u; corner++) {
            value = max(value, convolve(position * 2u + vec2u(corner % 2u, corner / 2u), block));
        }
    } else {
        value = convolve(position, block);
    }
    output[(position.y * size.x + position.x) * OUTPUT_BLOCKS + block] = result4(value);
}
