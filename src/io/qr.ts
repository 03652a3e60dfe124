/** QR codes (ISO 18004) of up to 520 bytes: byte mode, error correction level L, versions 1 to 15. */

const ecPerBlock = [0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22];
const blockCounts = [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6];
const newest = 15;

/** A square of modules; true is dark. */
export type Matrix = boolean[][];

const alignments = (version: number) => (version === 1 ? 0 : Math.floor(version / 7) + 2);

/** Codewords of a version, data and correction together. */
function codewords(version: number): number {
  const count = alignments(version);
  const bits = (16 * version + 128) * version + 64 - (count > 0 ? (25 * count - 10) * count - 55 : 0) - (version >= 7 ? 36 : 0);
  return Math.floor(bits / 8);
}

const dataBytes = (version: number) => codewords(version) - ecPerBlock[version]! * blockCounts[version]!;

// Arithmetic in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1.
const exponents: number[] = [];
for (let value = 1; exponents.length < 255; value = (value << 1) ^ (value & 0x80 ? 0x11d : 0)) exponents.push(value);
const logarithms = new Map(exponents.map((value, power) => [value, power]));
const multiply = (a: number, b: number) => (a === 0 || b === 0 ? 0 : exponents[(logarithms.get(a)! + logarithms.get(b)!) % 255]!);

function generator(degree: number): number[] {
  let polynomial = [1];
  for (let power = 0; power < degree; power++) {
    const next = [...polynomial, 0];
    for (const [i, coefficient] of polynomial.entries()) next[i + 1]! ^= multiply(coefficient, exponents[power]!);
    polynomial = next;
  }
  return polynomial.slice(1);
}

function correction(data: readonly number[], divisor: readonly number[]): number[] {
  const rest: number[] = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    for (const [i, coefficient] of divisor.entries()) rest[i]! ^= multiply(coefficient, factor);
  }
  return rest;
}

function payload(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let i = count - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  push(4, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, dataBytes(version) * 8 - bits.length));
  while (bits.length % 8 > 0) bits.push(0);
  const data = Array.from({ length: bits.length / 8 }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8).join(""), 2));
  for (let pad = 0xec; data.length < dataBytes(version); pad ^= 0xec ^ 0x11) data.push(pad);
  return data;
}

/** Splits the data into blocks, adds their corrections, and takes from each block in turn. */
function interleaved(data: readonly number[], version: number): number[] {
  const count = blockCounts[version]!;
  const short = Math.floor(data.length / count);
  const longBlocks = data.length % count;
  const divisor = generator(ecPerBlock[version]!);
  const blocks: number[][] = [];
  for (let start = 0; blocks.length < count; ) {
    const size = short + (blocks.length >= count - longBlocks ? 1 : 0);
    blocks.push(data.slice(start, start + size));
    start += size;
  }
  const corrections = blocks.map((block) => correction(block, divisor));
  const columns = (rows: readonly number[][]) =>
    Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, i) =>
      rows.flatMap((row) => (i < row.length ? [row[i]!] : [])),
    ).flat();
  return [...columns(blocks), ...columns(corrections)];
}

function alignmentPositions(version: number, size: number): number[] {
  const count = alignments(version);
  if (count === 0) return [];
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => size - 7 - i * step).reverse()];
}

interface Grid {
  size: number;
  dark: Matrix;
  /** Modules that belong to a pattern and carry no data. */
  fixed: Matrix;
  set(x: number, y: number, dark: boolean): void;
}

function emptyGrid(size: number): Grid {
  const square = () => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const [dark, fixed] = [square(), square()];
  const set = (x: number, y: number, on: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    dark[y]![x] = on;
    fixed[y]![x] = true;
  };
  return { size, dark, fixed, set };
}

/** Concentric squares around a center: a finder pattern with radius 4, an alignment pattern with radius 2. */
function drawTarget({ set }: Grid, cx: number, cy: number, radius: number) {
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++) {
      const distance = Math.max(Math.abs(dx), Math.abs(dy));
      set(cx + dx, cy + dy, radius === 2 ? distance !== 1 : distance !== 2 && distance !== 4);
    }
}

/** The remainder that protects format (10 bits) and version (12 bits). */
function protect(value: number, polynomial: number, bits: number): number {
  let rest = value;
  for (let i = 0; i < bits; i++) rest = (rest << 1) ^ ((rest >> (bits - 1)) * polynomial);
  return (value << bits) | rest;
}

function drawFormat({ set, size }: Grid, mask: number) {
  const bits = protect((1 << 3) | mask, 0x537, 10) ^ 0x5412;
  const bit = (i: number) => ((bits >> i) & 1) === 1;
  for (let i = 0; i <= 5; i++) set(8, i, bit(i));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
  for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
  for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
  set(8, size - 8, true);
}

function drawPatterns(grid: Grid, version: number) {
  const { size, set } = grid;
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawTarget(grid, x, y, 4);
  const positions = alignmentPositions(version, size);
  const last = positions.length - 1;
  for (const [i, x] of positions.entries())
    for (const [j, y] of positions.entries())
      if (!((i === 0 && (j === 0 || j === last)) || (i === last && j === 0))) drawTarget(grid, x, y, 2);
  drawFormat(grid, 0);
  if (version < 7) return;
  const bits = protect(version, 0x1f25, 12);
  for (let i = 0; i < 18; i++) {
    const [far, near] = [size - 11 + (i % 3), Math.floor(i / 3)];
    set(far, near, ((bits >> i) & 1) === 1);
    set(near, far, ((bits >> i) & 1) === 1);
  }
}

/** Data goes up and down in columns of two, from the right, around the patterns. */
function drawData({ size, dark, fixed }: Grid, bytes: readonly number[]) {
  let i = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const upward = ((right + 1) & 2) === 0;
        const y = upward ? size - 1 - step : step;
        if (fixed[y]![x] || i >= bytes.length * 8) continue;
        dark[y]![x] = ((bytes[i >> 3]! >> (7 - (i & 7))) & 1) === 1;
        i++;
      }
  }
}

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Penalty of a square that is hard to scan: long runs of one color. */
function difficulty(matrix: Matrix): number {
  const columns = matrix.map((_, x) => matrix.map((row) => row[x]!));
  const runs = [...matrix, ...columns].flatMap(
    (line) =>
      line
        .map((dark) => (dark ? "1" : "0"))
        .join("")
        .match(/0{5,}|1{5,}/g) ?? [],
  );
  return runs.reduce((sum, run) => sum + run.length - 2, 0);
}

/** The QR code of a text. Undefined if the text is too long. */
export function qrCode(text: string): Matrix | undefined {
  const bytes = new TextEncoder().encode(text);
  let version = 1;
  while (version <= newest && dataBytes(version) < bytes.length + (version < 10 ? 2 : 3)) version++;
  if (version > newest) return undefined;
  const drawn = masks.map((mask, number) => {
    const grid = emptyGrid(version * 4 + 17);
    drawPatterns(grid, version);
    drawData(grid, interleaved(payload(bytes, version), version));
    drawFormat(grid, number);
    return grid.dark.map((row, y) => row.map((dark, x) => dark !== (!grid.fixed[y]![x] && mask(x, y))));
  });
  return drawn.reduce((best, one) => (difficulty(one) < difficulty(best) ? one : best));
}

/** The code for a terminal, two modules per character, light modules drawn. `line` may color each line. */
export function qrText(matrix: Matrix, line: (text: string) => string = (text) => text): string {
  const margin = 2;
  const size = matrix.length + margin * 2;
  const light = (x: number, y: number) => !(matrix[y - margin]?.[x - margin] ?? false);
  const rows = Array.from({ length: Math.ceil(size / 2) }, (_, row) =>
    Array.from({ length: size }, (__, x) => {
      const [top, bottom] = [light(x, row * 2), light(x, row * 2 + 1)];
      return top ? (bottom ? "█" : "▀") : bottom ? "▄" : " ";
    }).join(""),
  );
  return rows.map(line).join("\n");
}
