// The C reader and the JavaScript reader refuse the same files for the same reason at the same offset, or both accept.
// $REPRISE_BINARY names the command line program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseProgram, RepriseError } from '../../js/reprise.mjs';
import { makeProgram } from './make_program.mjs';

const folder = mkdtempSync(join(tmpdir(), 'reprise-js-'));
after(() => rmSync(folder, { recursive: true }));

function inJavaScript(bytes) {
  try {
    parseProgram(bytes);
    return 'ok';
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error;
    return error.offset === null ? error.status : `${error.status} ${error.offset}`;
  }
}

// What the C reader says of each: some hundred files a process.
function inC(programs) {
  const lines = [];
  for (let first = 0; first < programs.length; first += 500) {
    const files = programs.slice(first, first + 500).map((bytes, i) => {
      const file = join(folder, `${i}.oidn`);
      writeFileSync(file, bytes);
      return file;
    });
    const { stdout, status } = spawnSync(process.env.REPRISE_BINARY, ['inspect', '--check', ...files], { encoding: 'utf8' });
    const said = stdout.trim().split('\n');
    assert.equal(said.length, files.length);
    assert.equal(status, said.every((line) => line === 'ok') ? 0 : 1);
    lines.push(...said);
  }
  return lines;
}

function compare(programs, describe) {
  const lines = inC(programs);
  programs.forEach((bytes, i) => assert.equal(inJavaScript(bytes), lines[i], describe(i)));
  return lines;
}

test('both accept a program, with what may follow META', () => {
  const program = makeProgram();
  const lines = compare([program, new Uint8Array([...program, 1, 2, 3, 4, 5])], (i) => `program ${i}`);
  assert.deepEqual(lines, ['ok', 'ok']);
});

test('both refuse every truncation alike', () => {
  const program = makeProgram();
  const cut = Array.from(program, (_, size) => program.slice(0, size));
  const lines = compare(cut, (size) => `${size} bytes`);
  assert.equal(lines.filter((line) => line === 'ok').length, 1); // the one that ends before META is whole
});

test('both say the same of every word changed', () => {
  const program = makeProgram();
  const changed = [];
  for (let at = 0; at < program.length; at += 4) {
    const old = new DataView(program.buffer).getUint32(at, true);
    for (const value of new Set([0, 1, 2, 3, 100, 256, old + 1, old - 1, old ^ 0x80, 0x7fffffff, 0xffffffff])) {
      const bytes = program.slice();
      new DataView(bytes.buffer).setUint32(at, value >>> 0, true);
      changed.push({ bytes, at, value });
    }
  }
  assert.ok(changed.length >= 300);
  const lines = compare(changed.map(({ bytes }) => bytes), (i) => `word ${changed[i].value} at ${changed[i].at}`);
  const seen = new Set(lines.map((line) => line.split(' ')[0]));
  const reasons = ['ok', 'BAD_MAGIC', 'BAD_VERSION', 'BAD_COUNT', 'BAD_VALUE', 'BAD_ID', 'BAD_SIZE', 'BAD_RANGE',
    'BAD_ALIGNMENT', 'BAD_USAGE', 'DUPLICATE', 'BAD_TEXT', 'TRUNCATED'];
  for (const reason of reasons) assert.ok(seen.has(reason), `no change gives ${reason}: ${[...seen]}`);
});
