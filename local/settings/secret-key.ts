/**
 * The twin's key for secrets: 256 bits in a file of the data folder that only its owner may read,
 * created when the first secret is set. A key that others may read, and a file that is not a key,
 * are refused with the remedy. Secrets that were sealed with a lost key cannot be opened again.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makeRawSecretSeals, RAW_KEY_BYTES } from '../../adapters/kms/raw-seals.ts'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import { readErrorCode, StartFault } from '../start-fault.ts'
import { readOwnFile, writeDurably } from './kept-file.ts'

const OTHERS_BITS = 0o077

/**
 * Opens the key. If `folder` is undefined the key exists as long as the process. Throws a
 * StartFault if the existing key must not be used. Later, if there is no key, sealing creates one
 * and opening is refused.
 */
export function openSecretSeals(folder: string | undefined): SecretSeals {
  const file = folder === undefined ? undefined : join(folder, 'secrets.key')
  let key = file === undefined ? randomKey() : readKey(file)
  return makeRawSecretSeals((use) => {
    if (key === undefined && use === 'open') throw toMissingFault(file ?? '')
    key ??= createKey(file ?? '')
    return key
  })
}

/** Reads the key; undefined if there is none. */
function readKey(file: string): Uint8Array | undefined {
  let text: string
  try {
    const kept = readOwnFile(file, { isClosed: false })
    if ((kept.mode & OTHERS_BITS) !== 0) throw toOpenFault(file, kept.mode)
    text = kept.text
  } catch (cause) {
    if (readErrorCode(cause) === 'ENOENT') return undefined
    if (cause instanceof StartFault) throw cause
    throw new StartFault(
      `${file} cannot be read (${readErrorCode(cause)}): make this user its owner, or choose another folder with --data FOLDER.`,
      cause,
    )
  }
  const key = Buffer.from(text.trim(), 'base64url')
  if (key.length === RAW_KEY_BYTES) return new Uint8Array(key)
  throw new StartFault(
    `${file} does not hold a key of ${RAW_KEY_BYTES} bytes: put it back from a backup, or delete it and set all secrets again.`,
  )
}

/**
 * Creates and stores the key. A process that dies here, or a power cut, leaves no key, or the whole
 * key with no secret sealed with it. Two callers cannot race: one twin has the folder, and this
 * function does not wait.
 */
function createKey(file: string): Uint8Array {
  const key = randomKey()
  try {
    writeDurably(file, `${Buffer.from(key).toString('base64url')}\n`)
  } catch (cause) {
    throw new StartFault(
      `${file} cannot be written (${readErrorCode(cause)}): make room, or choose another folder with --data FOLDER.`,
      cause,
    )
  }
  return key
}

function randomKey(): Uint8Array {
  return new Uint8Array(randomBytes(RAW_KEY_BYTES))
}

function toOpenFault(file: string, mode: number): StartFault {
  return new StartFault(
    `${file} may be read by others (mode ${mode.toString(8)}): chmod 600 it, and set all secrets again if another user may have read it.`,
  )
}

function toMissingFault(file: string): StartFault {
  return new StartFault(
    `${file} is missing: stop the twin and put it back, or set all secrets again.`,
  )
}
