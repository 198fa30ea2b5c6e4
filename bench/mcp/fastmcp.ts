/**
 * Yardstick of bench:mcp: fastmcp for TypeScript, stateless, JSON answers; no key, no limit, no money.
 * Takes the upstream's URL and the folder that it is installed in, so it has no types here.
 */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TOOL_DESCRIPTION, TOOL_NAMES, weatherText } from './yardstick-tools.ts'

const from = createRequire(join(process.argv[3] ?? '', 'package.json'))
const esmUrl = pathToFileURL(from.resolve('fastmcp').replace(/\.cjs$/, '.js')).href
const { FastMCP } = await import(esmUrl)
const { z } = from('zod')

const silent = () => {}
const server = new FastMCP({
  name: 'yardstick',
  version: '1.0.0',
  // Its log goes to stdout, which is where the bench looks for the URL.
  logger: { debug: silent, error: silent, info: silent, log: silent, warn: silent },
})
for (const name of TOOL_NAMES) {
  server.addTool({
    name,
    description: TOOL_DESCRIPTION,
    parameters: z.object({ city: z.string().min(1).max(100) }),
    execute: ({ city }: { city: string }) => weatherText(city),
  })
}

const host = '127.0.0.1'
const port = await freePort()
const httpStream = { host, port, endpoint: '/mcp', stateless: true, enableJsonResponse: true }
await server.start({ transportType: 'httpStream', httpStream })
console.log(JSON.stringify({ url: `http://${host}:${port}` }))

/** It does not say which one it was given, so it cannot be told to take any. */
function freePort(): Promise<number> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.listen(0, host, () => {
      const address = probe.address()
      if (address === null || typeof address === 'string') return reject(new Error('no port'))
      probe.close(() => resolve(address.port))
    })
  })
}
