/**
 * Recognises the emulator of AWS at an endpoint. The known ones answer LocalStack's health path,
 * and AWS itself does not: so nothing here can ever run against an account.
 */
import { isRecord, parseJson } from '../lambda/prelude.ts'

export type EmulatorName = 'localstack' | 'ministack'

export type Emulator = {
  readonly name: EmulatorName
  readonly version: string
  /** `http://127.0.0.1:4566`, without a slash at its end */
  readonly endpoint: string
}

/** Both answer in milliseconds once they are up. */
const ANSWER_MS_MAX = 30_000

/** Undefined when no server answers there, or another one does. */
export async function findEmulator(endpoint: string): Promise<Emulator | undefined> {
  const base = endpoint.replace(/\/+$/, '')
  const health = await ask(`${base}/_localstack/health`)
  const { services, version } = isRecord(health) ? health : {}
  if (!isRecord(services) || typeof version !== 'string') return undefined
  const isMinistack = isRecord(await ask(`${base}/_ministack/health`))
  return { name: isMinistack ? 'ministack' : 'localstack', version, endpoint: base }
}

/** The emulator that `run.ts` found or started, for the files of the suite. */
export async function emulatorOfProcess(): Promise<Emulator> {
  const endpoint = process.env['AWS_ENDPOINT_URL'] ?? ''
  const emulator = endpoint === '' ? undefined : await findEmulator(endpoint)
  if (emulator !== undefined) return emulator
  throw new Error(`no emulator at AWS_ENDPOINT_URL ("${endpoint}"): run npm run test:localstack`)
}

/** The JSON of a 200; undefined for every other answer. */
async function ask(url: string): Promise<unknown> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    const text = await answer.text()
    return answer.status === 200 ? parseJson(text) : undefined
  } catch (cause) {
    // No server, or one without HTTP: the caller says what to do.
    if (cause instanceof TypeError || cause instanceof DOMException) return undefined
    throw cause
  }
}
