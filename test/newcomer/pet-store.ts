/** A server on this machine of the Petstore's document: serves the document, and one of its operations. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const DOCUMENT = join(
  import.meta.dirname,
  '../../node_modules/@readme/oas-examples/3.0/json/petstore.json',
)

export type PetStore = {
  readonly host: string
  /** Orders that were asked for. */
  readonly asked: readonly string[]
  stop(): void
}

export async function startPetStore(): Promise<PetStore> {
  // The published document names a host in the internet; a server's own document names a path.
  const document = { ...JSON.parse(readFileSync(DOCUMENT, 'utf8')), servers: [{ url: '/v2' }] }
  const asked: string[] = []
  const server = createServer((request, response) => {
    const order = /^\/v2\/store\/order\/(\d+)$/.exec(request.url ?? '')?.[1]
    const isDocument = request.url === '/openapi.json'
    if (order !== undefined) asked.push(order)
    response.writeHead(isDocument || order !== undefined ? 200 : 404, {
      'content-type': 'application/json',
    })
    const body = isDocument ? document : { id: Number(order), petId: 7, status: 'placed' }
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    asked,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
