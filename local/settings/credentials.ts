/**
 * The twin's own secrets: both admin credentials and the keys of the demo users, created on the
 * first start and kept in the data folder with mode 0600. The store itself only has hashes of keys.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { readErrorCode, StartFault } from '../start-fault.ts'
import { readOwnFile, writeDurably } from './kept-file.ts'

export type Credentials = {
  readonly internalApiSecret: string
  readonly adminKey: string
  readonly key: string
  /** Key of the second demo user, who exists once the twin was started with --json. */
  readonly secondKey: string
  /** The secret that signs events to a webhook. */
  readonly eventsSecret: string
}

/** 256 bits, so that a hash of the key can be stored without salt. */
const SECRET_BYTES = 32
/** The name of the file in the data folder. */
export const CREDENTIALS_FILE = 'credentials.json'

/** Returns new random credentials. */
export function createCredentials(): Credentials {
  return {
    internalApiSecret: createToken(),
    adminKey: createToken(),
    key: `sgk_${createToken()}`,
    secondKey: `sgk_${createToken()}`,
    eventsSecret: createToken(),
  }
}

/**
 * Returns the credentials of an earlier start, or creates and stores new ones. Throws a StartFault.
 */
export function loadCredentials(folder: string): Credentials {
  const file = join(folder, CREDENTIALS_FILE)
  const stored = readCredentials(file)
  if (stored !== undefined) return stored
  const credentials = createCredentials()
  writeCredentials(file, credentials)
  return credentials
}

function writeCredentials(file: string, credentials: Credentials): void {
  try {
    writeDurably(file, `${JSON.stringify(credentials, null, 2)}\n`)
  } catch (cause) {
    throw new StartFault(
      `${file} cannot be written (${readErrorCode(cause)}): choose another folder with --data FOLDER.`,
      cause,
    )
  }
}

function readCredentials(file: string): Credentials | undefined {
  let text: string
  try {
    text = readOwnFile(file, { isClosed: true }).text
  } catch (cause) {
    if (readErrorCode(cause) === 'ENOENT') return undefined
    throw new StartFault(
      `${file} cannot be read (${readErrorCode(cause)}): make this user its owner, or choose another folder with --data FOLDER.`,
      cause,
    )
  }
  const stored = parseCredentials(text)
  if (stored !== undefined) return stored
  throw new StartFault(
    `${file} does not hold the twin's credentials: delete it to get new ones (agents then need the new key).`,
  )
}

function parseCredentials(text: string): Credentials | undefined {
  const json = parseJson(text)
  // The text is not JSON, or repeats a name; the caller names the file and the remedy.
  if (!json.ok || !isJsonObject(json.value)) return undefined
  const { internalApiSecret, adminKey, key, secondKey, eventsSecret } = json.value
  if (!isToken(internalApiSecret) || !isToken(adminKey)) return undefined
  if (!isToken(key) || !isToken(secondKey) || !isToken(eventsSecret)) return undefined
  return { internalApiSecret, adminKey, key, secondKey, eventsSecret }
}

function isToken(value: Json | undefined): value is string {
  return typeof value === 'string' && value.length >= 43
}

function createToken(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}
