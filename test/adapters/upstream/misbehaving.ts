/**
 * An upstream that misbehaves in every way of misbehaviours.ts, one path for each:
 * `/is-a-gzip-bomb`, `/hangs`, … For tests of the adapter and of the doors alike; MISBEHAVIOURS has
 * the expected outcomes.
 */
import type { Socket } from 'node:net'
import { type TestServer, tcpServer } from './misbehaving-server.ts'
import { MISBEHAVIOURS } from './misbehaviours.ts'

export type MisbehavingUpstream = TestServer & {
  /** The number of open connections. */
  open(): number
  /** Requests so far for one misbehaviour, or for all of them. */
  requests(name?: string): number
}

export async function misbehavingUpstream(): Promise<MisbehavingUpstream> {
  const byName = new Map(MISBEHAVIOURS.map((one) => [one.name, one]))
  const open = new Set<Socket>()
  const asked: string[] = []
  const server = await tcpServer((socket, text) => {
    // Later reads of the same request do not count as another one.
    const [, method = '', name = ''] =
      /^([A-Z]+) \/([a-z0-9-]*)[^ ]* HTTP\/1\.1\r\n/.exec(text) ?? []
    if (method === '') return
    const misbehaviour = byName.get(name)
    // A client of another test, whose server is gone, tries again and meets this one on its port.
    if (misbehaviour === undefined) return void socket.destroy()
    if (!open.has(socket)) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    }
    asked.push(name)
    misbehaviour.respond(socket, { method, name })
  })
  return {
    ...server,
    open: () => open.size,
    requests: (name) => asked.filter((one) => name === undefined || one === name).length,
  }
}
