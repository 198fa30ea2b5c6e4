/**
 * Replaces `bn.js` in bundles, over BigInt. The Encryption SDK writes and reads the lengths of contents by it, and looks at
 * two curves while it loads, of which only signatures would make use. The rest of bn.js is not there.
 */
import { refuse } from './no-signatures.ts'

const BITS_OF_BYTE = 8

class LengthNumber {
  readonly #value: bigint

  /** A number from 0, hexadecimal digits, or bytes of which the first is the highest. */
  constructor(value: bigint | number | string | readonly number[]) {
    this.#value = typeof value === 'object' ? ofBytes(value) : BigInt(hex(value))
  }

  static readonly mont = (): undefined => undefined
  readonly pow = refuse

  add(other: LengthNumber): LengthNumber {
    return new LengthNumber(this.#value + other.#value)
  }

  div(other: LengthNumber): LengthNumber {
    return new LengthNumber(this.#value / other.#value)
  }

  mod(other: LengthNumber): LengthNumber {
    return new LengthNumber(this.#value % other.#value)
  }

  eq(other: LengthNumber): boolean {
    return this.#value === other.#value
  }

  bitLength(): number {
    return this.#value.toString(2).length
  }

  toNumber(): number {
    const value = Number(this.#value)
    if (Number.isSafeInteger(value)) return value
    throw new Error('kms: a length over 53 bits')
  }

  /** Bytes, the highest first. */
  toArray(_endian: 'be', bytes: number): number[] {
    const last = BigInt(bytes - 1)
    const bits = (at: number) => (last - BigInt(at)) * BigInt(BITS_OF_BYTE)
    return Array.from({ length: bytes }, (_, at) => Number((this.#value >> bits(at)) & 255n))
  }
}

function ofBytes(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}

function hex(value: bigint | number | string): bigint | number | string {
  return typeof value === 'string' ? `0x${value}` : value
}

// biome-ignore lint/style/noDefaultExport: what bn.js exports.
export default LengthNumber
