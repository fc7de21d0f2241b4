// 3 x 3 convolution, bias and ReLU as an implicit matrix product: pixels x (taps x input channels) by output channels.
//
// Tensors, weights, UPSAMPLE, SKIP_BLOCKS and POOL are those of convolution_direct.wgsl. A workgroup makes 16 x 8 pixels of
// GROUP_BLOCKS output blocks. The product's inner dimension goes in steps of two input blocks: the workgroup stages the
// 18 x 10 pixels around its own and the nine taps' weights, then each thread multiplies for a quad of 2 x 2 pixels and
// THREAD_BLOCKS output blocks, whose sums stay in registers: one 4 x 4 matrix a block, a column for each pixel of the quad.
// With POOL the quad's maximum is written. Workgroups are numbered row by row along x, then y, of the dispatch; z counts
// groups of GROUP_BLOCKS output blocks.
//
// Prelude: alias value4, result4; const SOURCE_BLOCKS, SKIP_BLOCKS, OUTPUT_BLOCKS, UPSAMPLE, POOL, GROUP_BLOCKS (1, 2, 4 or 8),
// THREAD_BLOCKS (1 or 2).
// Workgroup storage: (360 + 72 x GROUP_BLOCKS) x 16 bytes in fp32, half of it in fp16.

struct Layer {
    size: vec2u, // of the convolution, before pooling; even with POOL
}

@group(0) @binding(0) var<storage, read> source: array<value4>;
@group(0) @binding(1) var<storage, read> skip: array<value4>; // the source again when SKIP_BLOCKS is 0
@group(0) @binding(2) var<storage, read> weights: array<value4>;
@group(0) @binding(3) var<storage, read_write> output: array<result4>;
@group(0) @binding(4) var<uniform> layer: Layer;

const INPUT_BLOCKS = SOURCE_BLOCKS + SKIP_BLOCKS;
const TILE = vec2u(16u, 8u);
const HALO = vec2u(18u, 10u);
const HALO_PIXELS = 180u;
const QUADS = 32u;
const STEP_BLOCKS = 2u;
const THREADS = QUADS * (GROUP_BLOCKS / THREAD_BLOCKS);
const STEP_WEIGHTS = 9u * STEP_BLOCKS * GROUP_BLOCKS * 4u;

var<workgroup> halo: array<value4, 360>;                 // [step block][y][x]
var<workgroup> staged: array<value4, STEP_WEIGHTS>;      // [tap][step block][group block][input lane]

fn read_input(p: vec2u, block: u32) -> value4 {
    if (p.x >= layer.size.x || p.y >= layer.size.y || block >= INPUT_BLOCKS) {
        return value4();
    }
    if (block >= SOURCE_BLOCKS) {
        return skip[(p.y * layer.size.x + p.x) * SKIP_BLOCKS + block - SOURCE_BLOCKS];
    }
    if (UPSAMPLE) {
        return source[(p.y / 2u * (layer.size.x / 2u) + p.x / 2u) * SOURCE_BLOCKS + block];
    }
    return source[(p.y * layer.size.x + p.x) * SOURCE_BLOCKS + block];
}

fn stage(tile: vec2u, first_input: u32, first_output: u32, thread: u32) {
    for (var i = thread; i < HALO_PIXELS * STEP_BLOCKS; i += THREADS) {
        let pixel = i % HALO_PIXELS;
        let p = tile + vec2u(pixel % HALO.x, pixel / HALO.x) - 1u; // wraps below zero, and is then too large
        halo[i] = read_input(p, first_input + i / HALO_PIXELS);
    }
    for (var i = thread; i < STEP_WEIGHTS; i += THREADS) {
        let lane = i % 4u;
        let output_block = first_output + i / 4u % GROUP_BLOCKS;
        let input_block = first_input + i / (4u * GROUP_BLOCKS) % STEP_BLOCKS;
        let tap = i / (4u * GROUP_BLOCKS * STEP_BLOCKS);
        var weight = value4();
        if (output_block < OUTPUT_BLOCKS && input_block < INPUT_BLOCKS) {
            weight = weights[
                OUTPUT_BLOCKS + ((tap * INPUT_BLOCKS + input_block) * OUTPUT_BLOCKS + output_block) * 4u + lane];
        }
        staged[i] = weight;
    }
}

fn weight_matrix(tap: u32, step_block: u32, group_block: u32) -> mat4x4f {
    let first = ((tap * STEP_BLOCKS + step_block) * GROUP_BLOCKS + group_block) * 4u;
    return mat4x4f(
        vec4f(staged[first]), vec4f(staged[first + 1u]), vec4f(staged[first + 2u]), vec4f(staged[first + 3u]),
    );
}

fn write(value: vec4f, position: vec2u, size: vec2u, block: u32) {
    if (position.x < size.x && position.y < size.y && block < OUTPUT_BLOCKS) {
        output[(position.y * size.x + position.x) * OUTPUT_BLOCKS + block] = result4(value);
    }
}

fn write_quad(sums: mat4x4f, position: vec2u, block: u32) {
    let bias = vec4f(weights[min(block, OUTPUT_BLOCKS - 1u)]);
    let a = max(sums[0] + bias, vec4f());
    let b = max(sums[1] + bias, vec4f());
    let c = max(sums[2] + bias, vec4f());
    let d = max(sums[3] + bias, vec4f());
    if (POOL) {
        write(max(max(a, b), max(c, d)), position / 2u, layer.size / 2u, block);
    } else {
        write(a, position, layer.size, block);
        write(b, position + vec2u(1u, 0u), layer.size, block);
        write(c, position + vec2u(0u, 1u), layer.size, block);
        write(d, position + vec2u(1u, 1u), layer.size, block);
    }
}

@compute @workgroup_size(THREADS, 1, 1)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let row_groups = (layer.size.x + TILE.x - 1u) / TILE.x;
    let index = group.y * groups.x + group.x;
    let tile = vec2u(index % row_groups, index / row_groups) * TILE;
    let first_output = group.z * GROUP_BLOCKS;
    let quad = vec2u(thread % 8u, thread % QUADS / 8u) * 2u;
    let first_block = thread / QUADS * THREAD_BLOCKS;

    var sums0 = mat4x4f();
    var sums1 = mat4x4f();
    for (var first_input = 0u; first_input < INPUT_BLOCKS; first_input += STEP_BLOCKS) {
        workgroupBarrier();
        stage(tile, first_input, first_output, thread);
        workgroupBarrier();
        for (var tap = 0u; tap < 9u; tap++) {
            let corner = (quad.y + tap / 3u) * HALO.x + quad.x + tap % 3u;
            for (var block = 0u; block < STEP_BLOCKS; block++) {
                let first = block * HALO_PIXELS + corner;
                let values = mat4x4f(
                    vec4f(halo[first]), vec4f(halo[first + 1u]),
                    vec4f(halo[first + HALO.x]), vec4f(halo[first + HALO.x + 1u]),
                );
                sums0 += weight_matrix(tap, block, first_block) * values;
                if (THREAD_BLOCKS > 1u) {
                    sums1 += weight_matrix(tap, block, first_block + 1u) * values;
                }
            }
        }
    }
    write_quad(sums0, tile + quad, first_output + first_block);
    if (THREAD_BLOCKS > 1u) {
        write_quad(sums1, tile + quad, first_output + first_block + 1u);
    }
}
