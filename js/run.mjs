// Checks or replays a program:
//     node js/run.mjs F.oidn --input color=c.pfm [--input albedo=…] -o out.pfm [--repeat N] [--profile] [--check]
// In Node on the npm package `webgpu`, in Deno on its own WebGPU. `--help` lists the options.
import { parseProgram, deviceDescriptor, Replay, RepriseError } from './reprise.mjs';
import { readFile, writeFile, rename } from 'node:fs/promises';
import process from 'node:process';

const HELP = `usage: run.mjs FILE [OPTION]...
  --check               print ok, or the reason code and the byte offset of what is wrong; exit 0 or 1
  --input NAME=FILE     color, albedo, normal, or the input's number; PFM, or raw f32 of the buffer's size
  -o, --output FILE     PFM (by its name), else raw f32
  --input-scale S       exposure, for programs with a frame buffer
  --repeat N            run N times after one to warm up, print the median
  --profile             print the time of each dispatch (needs timestamp-query)
  --adapter TEXT        only an adapter whose description contains TEXT
  --toggles A,B         Dawn toggles to enable, -A to disable (Node)
  --module PATH         where the npm package webgpu is (Node)`;

class UsageError extends Error {}

function parseArguments(words) {
  const options = { inputs: {}, repeat: 0 };
  const value = (flag) => words.shift() ?? usage(`${flag} needs a value`);
  while (words.length) {
    const word = words.shift();
    if (word === '--help') options.help = true;
    else if (word === '--check') options.check = true;
    else if (word === '--profile') options.profile = true;
    else if (word === '--input') {
      const [name, ...file] = value(word).split('=');
      if (!file.length) usage('--input takes NAME=FILE');
      options.inputs[name] = file.join('=');
    } else if (word === '-o' || word === '--output') options.output = value(word);
    else if (word === '--input-scale') options.inputScale = Number(value(word));
    else if (word === '--repeat') options.repeat = Number(value(word));
    else if (word === '--adapter') options.adapter = value(word);
    else if (word === '--toggles') options.toggles = value(word);
    else if (word === '--module') options.module = value(word);
    else if (word.startsWith('-')) usage(`unknown option ${word}`);
    else if (options.file) usage(`one program at a time: ${options.file} and ${word}`);
    else options.file = word;
  }
  if (!options.file && !options.help) usage('a program is missing');
  if (!Number.isInteger(options.repeat) || options.repeat < 0 || options.repeat > 100000) usage('--repeat takes 0 to 100000');
  return options;
}

function usage(message) {
  throw new UsageError(message);
}

// ---- Images ------------------------------------------------------------------------------------------------------

// PFM to RGBA floats, top row first, alpha 1; other files are taken as raw bytes.
function decodeInput(bytes, width, height) {
  const head = /^P([Ff])\s+(\d+)\s+(\d+)\s+(-?[\d.eE+-]+)\s/.exec(new TextDecoder('latin1').decode(bytes.subarray(0, 200)));
  if (!head) return bytes;
  const [text, kind, w, h, scale] = head;
  if (Number(w) !== width || Number(h) !== height) throw new Error(`an image of ${w}x${h}; the program's are ${width}x${height}`);
  const channels = kind === 'F' ? 3 : 1;
  if (bytes.length - text.length < width * height * channels * 4) throw new Error('the image ends early');
  const view = new DataView(bytes.buffer, bytes.byteOffset + text.length);
  const rgba = new Float32Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = ((height - 1 - y) * width + x) * channels;
      const to = (y * width + x) * 4;
      for (let c = 0; c < 3; c++) rgba[to + c] = view.getFloat32(4 * (from + (channels === 3 ? c : 0)), Number(scale) < 0);
      rgba[to + 3] = 1;
    }
  }
  return rgba;
}

function encodePfm(rgba, width, height) {
  const head = new TextEncoder().encode(`PF\n${width} ${height}\n-1.0\n`);
  const bytes = new Uint8Array(head.length + width * height * 12);
  bytes.set(head);
  const view = new DataView(bytes.buffer, head.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) view.setFloat32((((height - 1 - y) * width + x) * 3 + c) * 4, rgba[(y * width + x) * 4 + c], true);
    }
  }
  return bytes;
}

async function loadInputs(options, program) {
  const names = ['color', 'albedo', 'normal'];
  const inputs = program.inputs.map(() => null);
  for (const [name, file] of Object.entries(options.inputs)) {
    const index = names.includes(name) ? names.indexOf(name) : Number(name);
    if (!(index in inputs)) usage(`the program has no input '${name}'`);
    inputs[index] = decodeInput(await readFile(file), program.output.width, program.output.height);
  }
  return inputs;
}

// ---- Device ------------------------------------------------------------------------------------------------------

// dawn.node crashes once the object that made its adapter has been collected, so it is kept here.
let gpu = globalThis.navigator?.gpu;

async function findAdapter(options) {
  if (!gpu) {
    const { create, globals } = await import(options.module ?? 'webgpu');
    Object.assign(globalThis, globals);
    const toggles = (options.toggles ?? '').split(',').filter(Boolean);
    const on = toggles.filter((name) => !name.startsWith('-'));
    const off = toggles.filter((name) => name.startsWith('-')).map((name) => name.slice(1));
    gpu = create([
      ...(on.length ? [`enable-dawn-features=${on.join(',')}`] : []),
      ...(off.length ? [`disable-dawn-features=${off.join(',')}`] : []),
    ]);
  }
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new RepriseError('NO_DEVICE', 'no adapter answered');
  const { vendor, architecture, device, description } = adapter.info ?? {};
  const name = [vendor, architecture, device, description].filter(Boolean).join(' ');
  if (options.adapter && !name.includes(options.adapter)) throw new RepriseError('NO_DEVICE', `the adapter is '${name}'`);
  return { adapter, name };
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function printProfile(rows) {
  const total = rows.reduce((sum, row) => sum + row.nanoseconds, 0);
  for (const { operation, command, pipeline, x, y, z, nanoseconds } of rows) {
    const share = (100 * nanoseconds / total).toFixed(1);
    console.log(`${operation}.${command}\tpipeline ${pipeline}\t${x}x${y}x${z}\t${(nanoseconds / 1e6).toFixed(4)} ms\t${share} %`);
  }
  console.log(`total ${(total / 1e6).toFixed(4)} ms`);
}

async function replay(options, program) {
  const { adapter, name } = await findAdapter(options);
  const inputs = await loadInputs(options, program);
  const device = await adapter.requestDevice(deviceDescriptor(program, adapter, options));
  const begin = performance.now();
  const player = await Replay.create(device, program);
  if (options.inputScale !== undefined) player.setInputScale(options.inputScale);
  const created = performance.now();
  const output = await player.run({ inputs, output: Boolean(options.output) });
  console.log(`${name}: created in ${(created - begin).toFixed(1)} ms, first run ${(performance.now() - created).toFixed(1)} ms`);
  if (options.repeat) {
    const times = [];
    for (let i = 0; i < options.repeat; i++) {
      const start = performance.now();
      await player.run({ output: false });
      await device.queue.onSubmittedWorkDone();
      times.push(performance.now() - start);
    }
    console.log(`median of ${options.repeat} runs: ${median(times).toFixed(3)} ms`);
  }
  if (options.profile) printProfile(await player.profile({ inputs }));
  if (options.output) {
    const { width, height } = program.output;
    const bytes = options.output.endsWith('.pfm') ? encodePfm(new Float32Array(output), width, height) : new Uint8Array(output);
    const temporary = `${options.output}.${process.pid}.tmp`;
    await writeFile(temporary, bytes);
    await rename(temporary, options.output);
  }
  player.destroy();
  device.destroy();
}

async function main() {
  const options = parseArguments(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const bytes = await readFile(options.file);
  try {
    const program = parseProgram(bytes);
    if (options.check) console.log('ok');
    else await replay(options, program);
  } catch (error) {
    if (!(error instanceof RepriseError) || !options.check) throw error;
    console.log(error.offset === null ? error.status : `${error.status} ${error.offset}`);
    return 1;
  }
  return 0;
}

let code;
try {
  code = await main();
} catch (error) {
  console.error(`run.mjs: ${error.message}`);
  code = error instanceof UsageError ? 2 : 1;
}
process.exit(code); // dawn.node keeps the process alive otherwise
