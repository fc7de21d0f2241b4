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

function inC(bytes) {
  const file = join(folder, 'program.oidn');
  writeFileSync(file, bytes);
  const { stdout, status } = spawnSync(process.env.REPRISE_BINARY, ['inspect', '--check', file], { encoding: 'utf8' });
  const line = stdout.trim();
  assert.equal(status, line === 'ok' ? 0 : 1);
  return line;
}

test('both accept a program, with what may follow META', () => {
  const program = makeProgram();
  for (const bytes of [program, new Uint8Array([...program, 1, 2, 3, 4, 5])]) {
    assert.equal(inJavaScript(bytes), 'ok');
    assert.equal(inC(bytes), 'ok');
  }
});

test('both refuse every truncation alike', () => {
  const program = makeProgram();
  let refused = 0;
  for (let size = 0; size < program.length; size++) {
    const line = inJavaScript(program.slice(0, size));
    assert.equal(line, inC(program.slice(0, size)), `${size} bytes`);
    refused += line !== 'ok';
  }
  assert.equal(refused, program.length - 1); // the one that ends before META is whole
});

test('both say the same of every word changed', () => {
  const program = makeProgram();
  const seen = new Map();
  let files = 0;
  for (let at = 0; at < program.length; at += 4) {
    const old = new DataView(program.buffer).getUint32(at, true);
    for (const value of new Set([0, 1, 2, 3, 100, 256, old + 1, old - 1, old ^ 0x80, 0x7fffffff, 0xffffffff])) {
      const bytes = program.slice();
      new DataView(bytes.buffer).setUint32(at, value >>> 0, true);
      const line = inJavaScript(bytes);
      assert.equal(line, inC(bytes), `word ${value} at ${at}`);
      const [status] = line.split(' ');
      seen.set(status, (seen.get(status) ?? 0) + 1);
      files++;
    }
  }
  assert.ok(files >= 300);
  const reasons = ['ok', 'BAD_MAGIC', 'BAD_VERSION', 'BAD_COUNT', 'BAD_VALUE', 'BAD_ID', 'BAD_SIZE', 'BAD_RANGE',
    'BAD_ALIGNMENT', 'BAD_USAGE', 'DUPLICATE', 'BAD_TEXT', 'TRUNCATED'];
  for (const reason of reasons) assert.ok(seen.has(reason), `no change gives ${reason}: ${[...seen.keys()]}`);
});
