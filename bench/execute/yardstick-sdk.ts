/**
 * Yardstick (b) of bench:execute: a hand-written server on the official SDK v2, stateless, with one
 * tool and without keys, limits or money. Takes the upstream's URL. The SDK comes from
 * .cache/sdk-v2, so it is loaded by path and has no types here.
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

/** `require.resolve` finds the CommonJS build; an ESM project loads the module beside it. */
function esmOf(name: string): string {
  return pathToFileURL(from.resolve(name).replace(/\.cjs$/, '.mjs')).href
}
