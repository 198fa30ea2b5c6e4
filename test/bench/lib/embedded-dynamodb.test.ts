import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../../adapters/dynamodb/client/sdk-store.ts'
import { createTables } from '../../../adapters/dynamodb/create-tables.ts'
import { dynamoProfiles } from '../../../adapters/dynamodb/users/profiles.ts'
import { type EmbeddedDynamo, startEmbedded } from '../../../bench/lib/embedded-dynamodb.ts'
import { closePort, openPort } from '../../../local/http/listen.ts'
import { StartFault } from '../../../local/start-fault.ts'
import { profileOf } from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'

const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }

describe('the embedded DynamoDB', () => {
  test('answers on 127.0.0.1 once it is started, and is gone when its stop is over', async () => {
    const embedded = await start({})
    expect(embedded.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await answers(embedded.endpoint)).toBe(true)
    await embedded.stop()
    expect(await answers(embedded.endpoint)).toBe(false)
    await embedded.stop()
  })

  test('keeps what was written in its file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'embedded-'))
    const dbPath = join(folder, 'dynamodb.sqlite')
    const profile = profileOf('u-1', { credits: 99_500_000 })
    expect(await onEmbedded(dbPath, (profiles) => profiles.create(profile))).toBe(true)
    expect(await onEmbedded(dbPath, (profiles) => profiles.read('u-1'))).toEqual(profile)
    await rm(folder, { recursive: true })
  })

  test('two embedded DynamoDBs run side by side', async () => {
    const both = await Promise.all([start({}), start({})])
    expect(new Set(both.map(({ endpoint }) => endpoint)).size).toBe(2)
    await Promise.all(both.map((embedded) => embedded.stop()))
  })

  test('a port that is taken by another server is an error that says so', async () => {
    const other = createServer((_request, response) => response.end('hello'))
    const port = await openPort(other, { host: '127.0.0.1', port: 0 })
    const started = startEmbedded({ port })
    await expect(started).rejects.toThrow(`port ${port} is already in use`)
    await expect(started).rejects.toBeInstanceOf(StartFault)
    await closePort(other)
  })

  test('a file that cannot be opened is an error that says so', async () => {
    const started = startEmbedded({ dbPath: '/nowhere/dynamodb.sqlite' })
    await expect(started).rejects.toThrow('unable to open database file')
  })

  test('does not outlive a parent that is killed', async () => {
    const script =
      "import { startEmbedded } from './bench/lib/embedded-dynamodb.ts';" +
      'const { endpoint } = await startEmbedded({}); console.log(endpoint)'
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(parent.stdout, 'data')
    const endpoint = String(line).trim()
    expect(await answers(endpoint)).toBe(true)
    parent.kill('SIGKILL')
    for (let looks = 0; looks < 200 && (await answers(endpoint)); looks += 1) await setTimeout(10)
    expect(await answers(endpoint)).toBe(false)
  })
})

async function start(options: { dbPath?: string }): Promise<EmbeddedDynamo> {
  const embedded = await startEmbedded(options)
  if ('missing' in embedded) throw new Error(`these tests need it: ${embedded.missing}`)
  return embedded
}

async function onEmbedded<T>(
  dbPath: string,
  work: (profiles: ReturnType<typeof dynamoProfiles>) => Promise<T>,
): Promise<T> {
  const embedded = await start({ dbPath })
  const client = dynamoClient({ endpoint: embedded.endpoint })
  await createTables(client, TABLES)
  try {
    return await work(dynamoProfiles(dynamoStore({ client, tables: TABLES, clock: testClock() })))
  } finally {
    client.destroy()
    await embedded.stop()
  }
}

function answers(endpoint: string): Promise<boolean> {
  return fetch(endpoint, { headers: { connection: 'close' } }).then(
    () => true,
    () => false,
  )
}
