/**
 * Yardstick of bench:mcp: what one writes by hand with the official SDK v2, stateless, both eras; no key,
 * no limit, no money. /call has one tool, /list has all of them: calls do not pay for tools that they do
 * not use. Takes the upstream's URL. From .cache/sdk-v2, so it is loaded by path and has no types here.
 */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sdkCacheDir } from '../lib/install-sdk-v2.ts'
import { printReady } from '../lib/ready.ts'
import { TOOL_DESCRIPTION, TOOL_NAMES, weatherText } from './yardstick-tools.ts'

const from = createRequire(join(sdkCacheDir, 'package.json'))
const load = (name: string) => import(esmOf(name))

const { McpServer, createMcpHandler } = await load('@modelcontextprotocol/server')
const { toNodeHandler } = await load('@modelcontextprotocol/node')
const { z } = from('zod')

const inputSchema = z.object({ city: z.string().min(1).max(100) })

function handlerOf(names: readonly string[]) {
  const makeServer = () => {
    const server = new McpServer({ name: 'yardstick', version: '1.0.0' })
    for (const name of names) {
      const about = { title: name, description: TOOL_DESCRIPTION, inputSchema }
      server.registerTool(name, about, async ({ city }: { city: string }) => {
        const text = await weatherText(city)
        return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
      })
    }
    return server
  }
  return toNodeHandler(createMcpHandler(makeServer, { responseMode: 'json' }))
}

const onCall = handlerOf(TOOL_NAMES.slice(0, 1))
const onList = handlerOf(TOOL_NAMES)

printReady(
  createServer((request, response) => {
    const handler = request.url === '/list' ? onList : onCall
    handler(request, response)
  }),
)

/** `require.resolve` finds the CommonJS half; the module beside it is what an ESM project loads. */
function esmOf(name: string): string {
  return pathToFileURL(from.resolve(name).replace(/\.cjs$/, '.mjs')).href
}
