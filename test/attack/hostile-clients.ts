/**
 * The attacker's own site with client metadata documents, over https on 127.0.0.1, and a port behind the guard
 * that counts who comes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from './certificate.ts'

export type HostileClients = {
  readonly url: string
  /** In the form of the allow-list. */
  readonly host: string
  /** A file with the certificate, for NODE_EXTRA_CA_CERTS of the gateway. */
  readonly certificateFile: string
  /** From now on requests of the path are answered so. */
  serves(path: string, answer: RequestListener): void
  /** Answers with the JSON of `document`, by default. */
  servesDocument(path: string, document: object): void
  /** A host that no allow-list has. */
  readonly inner: string
  /** Connections that came to it. */
  innerConnections(): number
  stop(): Promise<void>
}

export async function startHostileClients(): Promise<HostileClients> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-attacker-'))
  const certificateFile = join(folder, 'certificate.pem')
  const { cert, key } = makeCertificate()
  writeFileSync(certificateFile, cert)
  const answers = new Map<string, RequestListener>()
  const site = createHttpsServer({ key, cert }, (request, response) => {
    const answer = answers.get(request.url ?? '')
    if (answer === undefined) response.writeHead(404).end()
    else answer(request, response)
  })
  let innerConnections = 0
  const inner = createServer((socket) => {
    innerConnections += 1
    socket.destroy()
  })
  const [host, innerHost] = [await listen(site), await listen(inner)]
  const serves: HostileClients['serves'] = (path, answer) => answers.set(path, answer)
  return {
    url: `https://${host}`,
    host,
    certificateFile,
    serves,
    servesDocument: (path, document) =>
      serves(path, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(document))
      }),
    inner: innerHost,
    innerConnections: () => innerConnections,
    stop: async () => {
      site.closeAllConnections()
      await Promise.all([site, inner].map(close))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  // The cast is safe for a server that listens on a port.
  const { port } = server.address() as AddressInfo
  return `127.0.0.1:${port}`
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
