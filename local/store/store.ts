/**
 * Which store the twin runs on: the embedded DynamoDB with its file in the data folder; where that
 * is not installed any DynamoDB at AWS_ENDPOINT_URL_DYNAMODB; else the memory adapters kept in a
 * file. A folder stays with the store it began with, so that nothing seems lost because an optional
 * package came or went. Bound by docs/service.md, Laptop twin.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ReplyTail } from '../../adapters/dynamodb/reply-stream/tail-types.ts'
import type { Clock, Log } from '../../core/ports.ts'
import { StartFault } from '../start-fault.ts'
import { openDynamoStore } from './dynamo-store.ts'
import { startEmbedded } from './embedded-dynamodb.ts'
import { openMemoryStore } from './memory-store.ts'
import type { OpenStore } from './open-store.ts'
import { tidyStream } from './stream-history.ts'

export type StoreOptions = {
  /** Undefined: nothing on disk. */
  readonly folder: string | undefined
  /** AWS_ENDPOINT_URL_DYNAMODB. */
  readonly endpoint: string | undefined
  /** How streams find replies, where the store is a DynamoDB; a store in memory wakes them. */
  readonly replyTail: ReplyTail['kind']
  readonly clock: Clock
  /** Told of trouble that is waited out. */
  readonly log: Pick<Log, 'note'>
}

export type StartEmbedded = typeof startEmbedded

/** `start` is the embedded DynamoDB; tests take its place to have none. */
export async function openStore(
  options: StoreOptions,
  start: StartEmbedded = startEmbedded,
): Promise<OpenStore> {
  const { folder, clock } = options
  if (folder === undefined) return openMemoryStore({ file: undefined, note: undefined, clock })
  const dynamoFile = join(folder, 'dynamodb.sqlite')
  const memoryFile = join(folder, 'memory.sqlite')
  if (existsSync(memoryFile) && !existsSync(dynamoFile)) {
    const note = `Store: the memory adapters, kept in ${memoryFile}, as this folder began with them.`
    return openMemoryStore({ file: memoryFile, note, clock })
  }
  const began = existsSync(dynamoFile)
  const embedded = await startedEmbedded(start, dynamoFile)
  if (!('missing' in embedded)) return onEmbedded(options, embedded, dynamoFile)
  if (began) throw new StartFault(needsEmbedded(folder, embedded.missing))
  const why = `the embedded DynamoDB is not installed (${embedded.missing})`
  if (options.endpoint !== undefined) return onEndpoint(options, options.endpoint, why)
  const note = `Store: the memory adapters, kept in ${memoryFile}: ${why}.`
  return openMemoryStore({ file: memoryFile, note, clock })
}

async function startedEmbedded(start: StartEmbedded, dbPath: string): ReturnType<StartEmbedded> {
  try {
    return await start({ dbPath })
  } catch (cause) {
    if (!(cause instanceof StartFault)) throw cause
    throw new StartFault(`${oneSentence(cause.message)} ${EMBEDDED_REMEDY}`, cause)
  }
}

const EMBEDDED_REMEDY =
  'Install it anew with npm ci, begin another folder with --data FOLDER, or keep nothing on disk with --memory.'

function oneSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

async function onEmbedded(
  options: StoreOptions,
  embedded: { readonly endpoint: string; stop(): Promise<void> | void },
  dbPath: string,
): Promise<OpenStore> {
  try {
    const { endpoint } = embedded
    tidied(dbPath, options.log)
    const { ports, note, close } = await openDynamoStore({ ...options, endpoint })
    const stop = async () => {
      close()
      await embedded.stop()
    }
    return { ports, note, stop }
  } catch (cause) {
    await embedded.stop()
    throw cause
  }
}

/** Without it the store works, and gets slower with its age. */
function tidied(dbPath: string, log: StoreOptions['log']): void {
  try {
    tidyStream(dbPath)
  } catch (cause) {
    log.note('warn', 'stream-not-tidied', {}, cause)
  }
}

async function onEndpoint(
  options: StoreOptions,
  endpoint: string,
  why: string,
): Promise<OpenStore> {
  try {
    const { ports, note: tail, close } = await openDynamoStore({ ...options, endpoint })
    const where = `Store: DynamoDB at ${endpoint} (AWS_ENDPOINT_URL_DYNAMODB): ${why}.`
    const note = tail === undefined ? where : `${where} ${tail}`
    return { ports, note, stop: async () => close() }
  } catch (cause) {
    throw new StartFault(
      `DynamoDB at ${endpoint} (AWS_ENDPOINT_URL_DYNAMODB) cannot be used: start it, or unset the variable to keep data in a file.`,
      cause,
    )
  }
}

function needsEmbedded(folder: string, missing: string): string {
  return (
    `Data folder ${folder} was made with the embedded DynamoDB, which is not installed now (${missing}): ` +
    'run npm ci without --omit=optional, or begin another folder with --data FOLDER.'
  )
}
