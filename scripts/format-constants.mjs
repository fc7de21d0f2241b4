// Writes the format's constants into js/reprise.mjs from the C headers, so that the two cannot drift:
//     node scripts/format-constants.mjs          writes
//     node scripts/format-constants.mjs --check  exits 1 when the file is not what would be written
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');

// X(NAME, number, "text")
function statuses(header) {
  const list = header.slice(header.indexOf('#define RP_STATUS_LIST'), header.indexOf('typedef enum rp_status'));
  return [...list.matchAll(/X\((\w+), (\d+),/g)].map(([, name, number]) => [name, Number(number)]);
}

// RP_PREFIX_NAME = number, inside `typedef enum NAME { … }`
function enumeration(header, name, prefix) {
  const body = header.match(new RegExp(`typedef enum ${name} \\{([^}]*)\\}`))[1];
  return [...body.matchAll(/RP_(\w+) = (\w+)/g)].map(([, key, value]) => [key.replace(prefix, ''), Number(value)]);
}

// `#define NAME 0x…u` and `NAME = n` of src/program/format.h and rules.h
function definitions(header) {
  return [
    ...[...header.matchAll(/#define RP_(\w+) (0x[0-9a-f]+)u/g)].map(([, key, value]) => [key, Number(value)]),
    ...[...header.matchAll(/\bRP_(\w+) = (\d+)/g)].map(([, key, value]) => [key, Number(value)]),
  ];
}

function table(name, comment, rows) {
  const lines = rows.map(([key, value]) => `  ${key}: ${value},`).join('\n');
  return `/** ${comment} */\nexport const ${name} = Object.freeze({\n${lines}\n});\n`;
}

const error = read('include/reprise/error.h');
const program = read('include/reprise/program.h');
const constants = [
  table('Status', 'Status numbers, as in reprise/error.h.', statuses(error)),
  table('Usage', 'GPUBufferUsage bits.', enumeration(program, 'rp_usage', 'USAGE_')),
  table('KernelBits', "META's kernel bits.", enumeration(program, 'rp_kernel_bits', 'KERNEL_')),
  table('Format', 'Numbers of the binary format and of WebGPU that its rules use.', [
    ...definitions(read('src/program/format.h')),
    ...definitions(read('src/program/rules.h')),
  ]),
].join('\n');

const target = new URL('js/reprise.mjs', root);
const source = readFileSync(target, 'utf8');
const open = '// <constants>\n';
const close = '// </constants>';
const begin = source.indexOf(open) + open.length;
const updated = source.slice(0, begin) + constants + source.slice(source.indexOf(close));
if (process.argv.includes('--check')) {
  if (updated !== source) {
    console.error('js/reprise.mjs: its constants are not those of the C headers; run node scripts/format-constants.mjs');
    process.exit(1);
  }
} else {
  writeFileSync(target, updated);
}
