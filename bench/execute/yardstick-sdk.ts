/**
 * Yardstick (b) of bench:execute: what one writes by hand with the official SDK v2, stateless, one
 * tool, no key, no limit, no money. Takes the upstream's URL. The SDK comes from .cache/sdk-v2, so
 * it is loaded by path and has no types here.
 */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { askUpstream } from '../lib/ask-upstream.ts'
import { sdkCacheDir } from '../lib/install-sdk-v2.ts'
import { printReady } from '../lib/ready.ts'

const upstream = process.argv[2]
const from = createRequire(join(sdkCacheDir, 'package.json'))
const load = (name: string) => import(esmOf(name))

const { McpServer, createMcpHandler } = await load('@modelcontextprotocol/server')
const { toNodeHandler } = await load('@modelcontextprotocol/node')
const { z } = from('zod')

const inputSchema = z.object({ city: z.string() })

const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: 'yardstick', version: '1.0.0' })
    const about = { description: 'Tells the weather in a city.', inputSchema }
    server.registerTool('weather', about, async ({ city }: { city: string }) => {
      const text = await askUpstream(`${upstream}/weather?city=${encodeURIComponent(city)}`)
      return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
    })
    return server
  },
  { responseMode: 'json' },
)

printReady(createServer(toNodeHandler(handler)))

/** `require.resolve` finds the CommonJS half; the module beside it is what an ESM project loads. */
function esmOf(name: string): string {
  return pathToFileURL(from.resolve(name).replace(/\.cjs$/, '.mjs')).href
}
