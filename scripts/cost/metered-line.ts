/**
 * A proxy between one function and the store that counts the units the store reports per request.
 * It adds ReturnConsumedCapacity to requests (the embedded store checks no signature), so the
 * deployed bundle stays unchanged. Streams API requests pass uncounted.
 */
import { createServer, type IncomingMessage, request } from 'node:http'

export type Units = {
  readonly read: number
  readonly write: number
  readonly requests: number
  /** Times that a request began while no other was under way: round trips in a row, of calls one after the other. */
  readonly rounds: number
}

export type MeteredLine = {
  readonly endpoint: string
  units(): Units
  reset(): void
  stop(): Promise<void>
}

const NOTHING: Units = { read: 0, write: 0, requests: 0, rounds: 0 }
const READS = new Set(['GetItem', 'BatchGetItem', 'Query'])

export async function startMeteredLine(storeEndpoint: string): Promise<MeteredLine> {
  const { hostname, port } = new URL(storeEndpoint)
  let units = NOTHING
  let underWay = 0
  const server = createServer(async (near, answer) => {
    try {
      const target = String(near.headers['x-amz-target'] ?? '')
      const action = target.split('.')[1] ?? ''
      const counted = target.startsWith('DynamoDB_') && action !== 'DescribeTable'
      const body = counted ? metered(await textOf(near)) : await textOf(near)
      const headers = { ...near.headers, 'content-length': String(Buffer.byteLength(body)) }
      if (counted && underWay === 0) units = { ...units, rounds: units.rounds + 1 }
      if (counted) underWay += 1
      const far = request(
        { hostname, port, method: 'POST', path: near.url, headers },
        async (response) => {
          const text = await textOf(response)
          if (counted) {
            underWay -= 1
            const used = usedUnits(text)
            const isRead = READS.has(action)
            units = {
              ...units,
              read: units.read + (isRead ? used : 0),
              write: units.write + (isRead ? 0 : used),
              requests: units.requests + 1,
            }
          }
          answer.writeHead(response.statusCode ?? 500, response.headers)
          answer.end(text)
        },
      )
      far.on('error', () => answer.destroy())
      far.end(body)
    } catch {
      answer.destroy()
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the line has no port')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    units: () => units,
    reset: () => {
      units = NOTHING
    },
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped())
        server.closeAllConnections()
      }),
  }
}

function metered(body: string): string {
  return JSON.stringify({ ...JSON.parse(body), ReturnConsumedCapacity: 'TOTAL' })
}

/** A write that its condition refused reports no units, but is charged one. */
function usedUnits(text: string): number {
  const answer: { ConsumedCapacity?: Capacity | Capacity[]; __type?: string } = JSON.parse(text)
  if (answer.__type?.endsWith('ConditionalCheckFailedException') === true) return 1
  const { ConsumedCapacity } = answer
  if (ConsumedCapacity === undefined) return 0
  const all = Array.isArray(ConsumedCapacity) ? ConsumedCapacity : [ConsumedCapacity]
  return all.reduce((sum, one) => sum + (one.CapacityUnits ?? 0), 0)
}

type Capacity = { readonly CapacityUnits?: number }

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
