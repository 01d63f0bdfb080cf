// Files of arrays, as Hugging Face's safetensors has them: 8 bytes with the length of a JSON text; that text, in which each
// name has its type, its shape and the bytes between which it lies; and the bytes, numbers row by row.
const TYPES = { F32: Float32Array, F64: Float64Array };

// arrays: name -> {shape, values}. about: texts by name. Returns a Uint8Array.
function write_safetensors(arrays, about = {}) {
  const header = { __metadata__: about };
  let size = 0;
  for (const [name, { shape, values }] of Object.entries(arrays)) {
    const dtype = values instanceof Float64Array ? "F64" : "F32";
    header[name] = { dtype, shape, data_offsets: [size, size + values.byteLength] };
    size += values.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify(header)), start = 8 + ((text.length + 7) & ~7); // numbers begin at a multiple of 8
  const bytes = new Uint8Array(start + size).fill(32, 8, start); // JSON may end in spaces
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - 8), true);
  bytes.set(text, 8);
  for (const [name, { values }] of Object.entries(arrays))
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), start + header[name].data_offsets[0]);
  return bytes;
}

// [name -> {shape, values}, the texts by name]. Arrays of other types are left out.
function read_safetensors(bytes) {
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const { __metadata__: about = {}, ...header } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const read = ({ dtype, shape, data_offsets: [from, to] }) => ({ shape, values: new TYPES[dtype](bytes.slice(start + from, start + to).buffer) });
  return [Object.fromEntries(Object.entries(header).filter(([, { dtype }]) => TYPES[dtype]).map(([name, array]) => [name, read(array)])), about];
}
