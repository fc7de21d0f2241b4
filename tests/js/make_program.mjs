// A small program, assembled from the tables of docs/format.md and apart from any writer under test.

class Writer {
  words = [];

  u32(...values) {
    for (const value of values) this.words.push(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24);
    return this;
  }

  blob(bytes) {
    this.u32(bytes.length);
    this.words.push(...bytes, ...new Array(-bytes.length & 3).fill(0));
    return this;
  }

  text(string) {
    return this.blob([...new TextEncoder().encode(string)]);
  }
}

const STORAGE = 128;
const UNIFORM = 64;
const COPY_SRC = 4;
const COPY_DST = 8;

export const WGSL = `@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> scale: vec4f;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { b[id.x] = a[id.x] * scale.x + b[id.x]; }
`;

/** Multiplies 16 floats by the frame's scale, adds what an initialized buffer holds; copies the result to the output. */
export function makeProgram() {
  const w = new Writer();
  w.u32(0x4e44494f, 2);
  w.u32(1, 0); // inputs
  w.u32(3, 1, 2, 2, 4); // output: buffer, external, width, height, channels
  w.u32(5); // buffers
  w.u32(64, STORAGE | COPY_DST).blob([]).text('in');
  w.u32(64, STORAGE | COPY_SRC | COPY_DST).blob([0, 0, 128, 63]).text('sums'); // the first float is 1
  w.u32(16, UNIFORM | COPY_DST).blob([0, 0, 0, 64]).text('frame'); // 2
  w.u32(64, COPY_SRC | COPY_DST).blob([]).text('out');
  w.u32(512, STORAGE | UNIFORM | COPY_DST).blob([]).text('wëights');
  w.u32(1).text(WGSL);
  w.u32(1, 0).text('main');
  w.u32(2); // bind groups
  w.u32(0, 0, 3, 0, 0, 0, 64, 1, 1, 0, 0, 2, 2, 0, 16);
  w.u32(0, 0, 1, 0, 4, 256, 256);
  w.u32(3); // operations
  w.u32(1, 1, 4).blob([0, 0, 0, 65]); // the second sum is 8
  w.u32(0, 2, 0, 0, 0, 4, 1, 1, 1, 1, 0, 3, 0, 64);
  w.u32(0, 0);
  w.u32(0x4154454d, 1, 1, 3, 2, 2, 1, 4);
  return new Uint8Array(w.words);
}
