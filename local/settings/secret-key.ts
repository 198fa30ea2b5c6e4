/**
 * The twin's key for secrets: 256 bits in a file of the data folder that only its owner may read,
 * made when the first secret is set. A key that others may read, and a file that is not a key, are
 * refused with the remedy. Secrets sealed under a lost key cannot be opened again.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { RAW_KEY_BYTES, rawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import type { SecretSeals } from '../../core/ports/secrets.ts'
import { errorCode, StartFault } from '../start-fault.ts'
import { keepFile, readKeptFile } from './kept-file.ts'

const OTHERS = 0o077

/**
 * `folder` undefined: the key lives as long as the process. Throws StartFault when the existing key
 * must not be used; later, without a key, sealing makes one and opening is refused.
 */
export function fileSecretSeals(folder: string | undefined): SecretSeals {
  const file = folder === undefined ? undefined : join(folder, 'secrets.key')
  let key = file === undefined ? newKey() : readKey(file)
  return rawSecretSeals((use) => {
    if (key === undefined && use === 'open') throw missing(file ?? '')
    key ??= makeKey(file ?? '')
    return key
  })
}

/** Undefined where there is no key. */
function readKey(file: string): Uint8Array | undefined {
  let text: string
  try {
    const kept = readKeptFile(file, { isClosed: false })
    if ((kept.mode & OTHERS) !== 0) throw open(file, kept.mode)
    text = kept.text
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    if (cause instanceof StartFault) throw cause
    throw new StartFault(
      `${file} cannot be read (${errorCode(cause)}): make this user its owner, or choose another folder with --data FOLDER.`,
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
 * A process that dies here, or a power cut, leaves no key, or the whole key with no secret sealed under it. Two
 * callers cannot race: one twin holds the folder, and this function does not wait.
 */
function makeKey(file: string): Uint8Array {
  const key = newKey()
  try {
    keepFile(file, `${Buffer.from(key).toString('base64url')}\n`)
  } catch (cause) {
    throw new StartFault(
      `${file} cannot be written (${errorCode(cause)}): make room, or choose another folder with --data FOLDER.`,
      cause,
    )
  }
  return key
}

function newKey(): Uint8Array {
  return new Uint8Array(randomBytes(RAW_KEY_BYTES))
}

function open(file: string, mode: number): StartFault {
  return new StartFault(
    `${file} may be read by others (mode ${mode.toString(8)}): chmod 600 it, and set all secrets again if another user may have read it.`,
  )
}

function missing(file: string): StartFault {
  return new StartFault(
    `${file} is missing: stop the twin and put it back, or set all secrets again.`,
  )
}
