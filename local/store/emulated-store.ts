/**
 * The store ports over the emulator of DynamoDB, shut off from everybody else; where it cannot run, over
 * any DynamoDB at AWS_ENDPOINT_URL_DYNAMODB.
 */
import { StartFault } from '../start-fault.ts'
import { openDynamoStore } from './dynamo-store.ts'
import { startShutOff } from './emulator-shut-off.ts'
import { readPlace } from './news-place.ts'
import type { OpenStore, StoreOptions } from './open-store.ts'
import { tidyStream } from './stream-history.ts'

export type StartEmulator = typeof startShutOff

export type EmulatedOptions = Omit<StoreOptions, 'folder' | 'kind'> & {
  /** Undefined: nothing on disk. */
  readonly file: string | undefined
  /** Says up to where the stream is archived; likewise. */
  readonly placeFile?: string | undefined
}

/** `start` is the emulator; tests take its place to have none. */
export async function openEmulatedStore(
  options: EmulatedOptions,
  start: StartEmulator = startShutOff,
): Promise<OpenStore> {
  const { endpoint, file } = options
  const emulator = await started(start, file)
  if (!('missing' in emulator)) return onEmulator(options, emulator)
  const { missing } = emulator
  if (endpoint !== undefined) return onEndpoint(options, endpoint, missing)
  throw new StartFault(
    `--store dynamodb: the emulator cannot run here (${missing}): start a DynamoDB of your own and set AWS_ENDPOINT_URL_DYNAMODB, or leave --store out.`,
  )
}

async function started(start: StartEmulator, file: string | undefined): ReturnType<StartEmulator> {
  try {
    return await start(file === undefined ? {} : { dbPath: file })
  } catch (cause) {
    if (!(cause instanceof StartFault)) throw cause
    const sentence = cause.message.endsWith('.') ? cause.message : `${cause.message}.`
    throw new StartFault(`${sentence} ${REMEDY}`, cause)
  }
}

const REMEDY =
  'Install it again with npm ci, choose another folder with --data FOLDER, or leave --store out.'

type Emulator = Exclude<Awaited<ReturnType<StartEmulator>>, { readonly missing: string }>

async function onEmulator(options: EmulatedOptions, emulator: Emulator): Promise<OpenStore> {
  try {
    const { endpoint, socketPath } = emulator
    if (options.file !== undefined) tidied(options, options.file)
    const { close, ...opened } = await openDynamoStore({ ...options, endpoint, socketPath })
    const stop = async () => {
      close()
      await emulator.stop()
    }
    return { ...opened, stop }
  } catch (cause) {
    await emulator.stop()
    throw cause
  }
}

/** Without it the store works, and gets slower with its age. */
function tidied({ log, placeFile }: EmulatedOptions, file: string): void {
  try {
    tidyStream(file, placeFile === undefined ? undefined : readPlace(placeFile)?.seen)
  } catch (cause) {
    log.note('warn', 'stream-not-tidied', {}, cause)
  }
}

async function onEndpoint(
  options: EmulatedOptions,
  endpoint: string,
  missing: string,
): Promise<OpenStore> {
  try {
    const { close, note: lack, ...opened } = await openDynamoStore({ ...options, endpoint })
    const where = `Store: DynamoDB at ${endpoint} (AWS_ENDPOINT_URL_DYNAMODB): the emulator cannot run here (${missing}).`
    const note = lack === undefined ? where : `${where} ${lack}`
    return { ...opened, note, stop: async () => close() }
  } catch (cause) {
    throw new StartFault(
      `DynamoDB at ${endpoint} (AWS_ENDPOINT_URL_DYNAMODB) cannot be used: start it, or leave --store out.`,
      cause,
    )
  }
}
