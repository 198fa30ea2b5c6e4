/**
 * A proxy between one function and the store that counts the units that the store reports for each
 * request. It adds ReturnConsumedCapacity to requests (the embedded store checks no signature), so
 * the deployed bundle stays unchanged. Requests of the Streams API pass uncounted.
 */
import { createServer, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'

export type Units = {
  readonly read: number
  readonly write: number
  /** The part of these that is of the table `apart`. */
  readonly apart: { readonly read: number; readonly write: number }
  readonly requests: number
  /**
   * Times that a request began while no other was running: round trips in a row, for calls one
   * after the other.
   */
  readonly rounds: number
}

export type MeteredLine = {
  readonly endpoint: string
  units(): Units
  reset(): void
  stop(): Promise<void>
}

const READS = ['GetItem', 'BatchGetItem', 'Query']

export async function startMeteredLine(
  storeEndpoint: string,
  apart?: string,
): Promise<MeteredLine> {
  const { hostname, port } = new URL(storeEndpoint)
  const none = () => ({ read: 0, write: 0, apart: { read: 0, write: 0 }, requests: 0, rounds: 0 })
  let units = none()
  let running = 0
  const server = createServer(async (incoming, answer) => {
    const [api = '', action = ''] = String(incoming.headers['x-amz-target'] ?? '').split('.')
    const counted = api.startsWith('DynamoDB_') && action !== 'DescribeTable'
    const sent = await textOf(incoming)
    const body = counted
      ? JSON.stringify({ ...JSON.parse(sent), ReturnConsumedCapacity: 'TOTAL' })
      : sent
    const headers = { ...incoming.headers, 'content-length': String(Buffer.byteLength(body)) }
    if (counted && running === 0) units.rounds += 1
    if (counted) running += 1
    const outgoing = request({ hostname, port, method: 'POST', path: incoming.url, headers })
    outgoing.on('error', () => answer.destroy())
    outgoing.on('response', async (response) => {
      const text = await textOf(response)
      if (counted) {
        running -= 1
        units.requests += 1
        addUnits(units, READS.includes(action) ? 'read' : 'write', readUsedUnits(text, body), apart)
      }
      answer.writeHead(response.statusCode ?? 500, response.headers).end(text)
    })
    outgoing.end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the line has no port')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    units: () => structuredClone(units),
    reset: () => {
      units = none()
    },
    stop: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

type Counted = { read: number; write: number; readonly apart: { read: number; write: number } }

function addUnits(
  units: Counted,
  way: 'read' | 'write',
  used: readonly Capacity[],
  apart: string | undefined,
): void {
  for (const { TableName, CapacityUnits = 0 } of used) {
    units[way] += CapacityUnits
    if (TableName === apart) units.apart[way] += CapacityUnits
  }
}

type Capacity = { readonly CapacityUnits?: number; readonly TableName?: string }

/**
 * Returns the units of a response. A write that its condition refused reports no units, but is
 * charged one.
 */
function readUsedUnits(text: string, request: string): readonly Capacity[] {
  const answer: { ConsumedCapacity?: Capacity | Capacity[]; __type?: string } = JSON.parse(text)
  if (answer.__type?.endsWith('ConditionalCheckFailedException') === true)
    return [{ TableName: JSON.parse(request).TableName, CapacityUnits: 1 }]
  return [answer.ConsumedCapacity ?? []].flat()
}
