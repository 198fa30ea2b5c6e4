/**
 * Searches for texts where they must not be: whole or by half, unchanged and in the spellings that
 * careless code would give them (base64 at any place of a longer text, hex; JSON, percent and HTML
 * leave the halves unchanged). Unpacks packed bytes first.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, inflateRawSync } from 'node:zlib'

export type Canary = {
  readonly name: string
  /** Its random ends: letters and digits, so that no escape changes them. */
  readonly halves: readonly string[]
  readonly value: string
}

const HALF_CHARS = 12

/** A text to send; `middle` stands between its random ends. */
export function canary(name: string, middle = ''): Canary {
  const [head, tail] = [0, 1].map(() => randomBytes(HALF_CHARS / 2).toString('hex'))
  return knownCanary(name, `${head}${middle}${tail}`)
}

/** A text made by others: a key, a session id. */
export function knownCanary(name: string, value: string): Canary {
  if (value.length < 2 * HALF_CHARS) throw new Error(`${name} is too short to be looked for`)
  return { name, value, halves: [value.slice(0, HALF_CHARS), value.slice(-HALF_CHARS)] }
}

/** Names of the canaries found; searches `haystack` as it is, and unpacked where it is packed. */
export function found(haystack: string | Uint8Array, canaries: readonly Canary[]): string[] {
  const bytes = Buffer.from(haystack)
  const all = [bytes, ...unpacked(bytes)]
  return canaries
    .filter(({ halves }) => halves.some((half) => isIn(all, half)))
    .map(({ name }) => name)
}

function isIn(haystacks: readonly Buffer[], half: string): boolean {
  return spellings(half).some((one) => haystacks.some((bytes) => bytes.includes(one)))
}

function spellings(text: string): readonly string[] {
  const hex = Buffer.from(text).toString('hex')
  const base64 = [0, 1, 2].map((shift) => base64At(text, shift))
  const safe = base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'))
  return [text, ...base64, ...safe, hex, hex.toUpperCase()]
}

/**
 * The form in the base64 of a longer text, at this offset; without the characters that its
 * neighbours change.
 */
function base64At(text: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)])
  const from = Math.ceil((shift * 8) / 6)
  const to = Math.floor((bytes.length * 8) / 6)
  return bytes.toString('base64').slice(from, to)
}

const GZIP = Buffer.from([0x1f, 0x8b, 0x08])
/** In the form of node's own output: no name, no comment. */
const GZIP_HEADER_BYTES = 10

/** Bytes that begin like gzip at any place, as bytes or as base64; unpacked as far as possible. */
function unpacked(bytes: Buffer): readonly Buffer[] {
  const texts = bytes.toString('latin1').matchAll(/H4sI[A-Za-z0-9+/_-]+/g)
  const packed: Buffer[] = [...texts].map(([text]) => Buffer.from(text, 'base64'))
  for (let at = bytes.indexOf(GZIP); at >= 0; at = bytes.indexOf(GZIP, at + 1)) {
    packed.push(bytes.subarray(at))
  }
  const limits = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 10_000_000 }
  return packed.flatMap((one) => {
    try {
      return [inflateRawSync(one.subarray(GZIP_HEADER_BYTES), limits)]
    } catch {
      // Bytes that began like gzip without being gzip.
      return []
    }
  })
}

/** Every file under the folder, by its path, except the named ones. */
export function filesOf(folder: string, but: readonly string[]): Map<string, Buffer> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile() && !but.includes(entry.name))
  return new Map(
    files.map(({ name, parentPath }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name)),
    ]),
  )
}
