/**
 * A network between agent and twin that can break: a TCP proxy that cuts its connections, or loses
 * one side without telling the other, as a closed laptop does.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Cutter = {
  /** The twin's URL for the stream, through this proxy. */
  readonly sse: string
  /** Connections from here that the twin still has. */
  openToTwin(): number
  /** Breaks all connections, on both sides. */
  cut(): void
  /**
   * Breaks the agents' side. The twin's side stays open and is read, so that the twin cannot
   * notice.
   */
  lose(): void
  stop(): Promise<void>
}

type Pair = { readonly agent: Socket; readonly twin: Socket; lost: boolean }

export async function startCutter(twinPort: number): Promise<Cutter> {
  const pairs = new Set<Pair>()
  const server = createServer((agent) => {
    const pair = { agent, twin: connect(twinPort, '127.0.0.1'), lost: false }
    pairs.add(pair)
    pair.twin.once('close', () => pairs.delete(pair))
    join(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const { twin } of pairs) twin.destroy()
  }
  return {
    sse: `http://127.0.0.1:${port}/v1/mcp/sse`,
    openToTwin: () => pairs.size,
    cut,
    lose: () => {
      for (const pair of pairs) {
        pair.lost = true
        pair.agent.destroy()
      }
    },
    stop: async () => {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}

function join(pair: Pair): void {
  const { agent, twin } = pair
  agent.on('data', (chunk) => twin.write(chunk))
  twin.on('data', (chunk) => {
    if (!agent.destroyed) agent.write(chunk)
  })
  agent.once('close', () => {
    if (!pair.lost) twin.destroy()
  })
  twin.once('close', () => agent.destroy())
  // Broken connections are the purpose.
  for (const socket of [agent, twin]) socket.on('error', () => {})
}
