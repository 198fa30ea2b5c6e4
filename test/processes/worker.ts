/**
 * One of several processes on one store, as Lambda runs execute: its own ports over the store, its own
 * caches, the deployed door, served over HTTP on 127.0.0.1. Ends when its parent is gone.
 */

import { createServer } from 'node:http'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE } from '../../adapters/dynamodb/table.ts'
import { makeSchemasWithPatterns } from '../../adapters/formats/json-schema.ts'
import { makeHooks } from '../../adapters/hooks/registry.ts'
import {
  joinRawHeaders,
  makeFunctionUrlEvent,
  readBody,
} from '../../adapters/http/server-events.ts'
import { makeRawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import { makeUpstreamPreviews } from '../../adapters/upstream/upstream-previews.ts'
import type { StorePorts } from '../../core/ports/ports.ts'
import { createMcpPorts } from '../../lambdas/call/mcp-ports.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { createEndlessContext, LocalResponseStream } from '../../local/http/host.ts'
import { openPort } from '../../local/http/listen.ts'
import { memoryKeptResults } from '../contracts/memory-kept-results.ts'
import { fleetClock, settingsOf, type WorkerSetup, type WorkerStore } from './setup.ts'

process.once('disconnect', () => process.exit(0))

const setup: WorkerSetup = JSON.parse(process.argv[2] ?? '')
const clock = fleetClock(setup)
const note = (text: string, cause?: unknown) => process.stderr.write(`${text} ${String(cause)}\n`)
const store = openStore(setup.store)
const settings = settingsOf(setup)
const upstream = httpUpstream({ outboundAllow: settings.outboundAllow })
const door = createExecuteDoor(
  {
    ...store,
    clock,
    digests: nodeDigests(),
    hooks: makeHooks({ clock, outboundAllow: settings.outboundAllow }),
    ids: nodeIds(),
    keptResults: memoryKeptResults(clock),
    log: {
      call: () => {},
      note: (level, event, _fields, cause) => {
        if (level === 'error') note(event, cause)
      },
    },
    schemas: makeSchemasWithPatterns(),
    // No skill of a fleet has a login.
    oauthClient: { refresh: () => Promise.reject(new Error('no login here')) },
    seals: nodeSeals(),
    secretSeals: makeRawSecretSeals(() => new Uint8Array(32)),
    // A fleet without issuers.
    tokenVerifier: {
      asksIssuer: () => false,
      verify: () => Promise.resolve({ kind: 'not_a_token' }),
    },
    ...createMcpPorts({ clock, upstream }, settings),
    upstream,
    upstreamPreviews: makeUpstreamPreviews(settings),
  },
  settings,
)

const running = new Set<Promise<unknown>>()
const server = createServer((request, response) => {
  const work = readBody(request).then(async (read) => {
    if (read.kind !== 'body') {
      response.destroy()
      return
    }
    const event = makeFunctionUrlEvent({
      request,
      headers: joinRawHeaders(request),
      body: read.bytes,
      requestId: 'r',
    })
    await door(
      event,
      new LocalResponseStream(response, { holdLastChunk: false }),
      createEndlessContext('r'),
    )
  })
  running.add(work)
  void work.finally(() => running.delete(work))
})
const port = await openPort(server, { host: '127.0.0.1', port: 0 })

/** The only order: report when nothing runs any more, work after answers included. */
process.on('message', () => {
  void untilIdle().then(() => process.send?.({ idle: true }))
})
process.send?.({ url: `http://127.0.0.1:${port}/v1/execute` })

async function untilIdle(): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running)
}

/** As deployed, over DynamoDB. */
function openStore(of: WorkerStore): StorePorts {
  // Pauses between two tries are the machine's.
  const storeClock = { ...systemClock(), nowMs: clock.nowMs }
  const onTrouble = (cause: unknown) => note('store-trouble', cause)
  const tables = { gateway: GATEWAY_TABLE.name, sessions: SESSIONS_TABLE.name }
  return dynamoStorePorts(
    dynamoStore({ client: patientClient(of.endpoint), tables, clock: storeClock, onTrouble }),
  )
}

/**
 * Hundreds of calls at once wait for one store on a busy machine here, which never happens in a
 * Lambda environment. With the deployed client's one second some would be refused with 503.
 */
function patientClient(endpoint: string): DynamoDBClient {
  const patienceMs = 30_000
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: {
      connectionTimeout: patienceMs,
      requestTimeout: patienceMs,
      socketAcquisitionWarningTimeout: patienceMs,
    },
  })
}
