/**
 * A yardstick of bench:mcp: a server that is written by hand with the official SDK v2, stateless,
 * for both eras; without keys, limits or money. Takes the upstream's URL and the folder in which
 * the SDK is installed, so the SDK is loaded by path and has no types here.
 */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fetchWeather, listenAndPrint, TOOL } from './yardstick.ts'

const from = createRequire(join(process.argv[3] ?? '', 'package.json'))
/** `require.resolve` finds the CommonJS file; an ESM project loads the module beside it. */
const load = (name: string) =>
  import(pathToFileURL(from.resolve(name).replace(/\.cjs$/, '.mjs')).href)

const { McpServer, createMcpHandler } = await load('@modelcontextprotocol/server')
const { toNodeHandler } = await load('@modelcontextprotocol/node')
const { z } = from('zod')

const inputSchema = z.object({ city: z.string().min(1).max(100) })

function createYardstickServer() {
  const server = new McpServer({ name: 'yardstick', version: '1.0.0' })
  const about = { title: TOOL.name, description: TOOL.description, inputSchema }
  server.registerTool(TOOL.name, about, async ({ city }: { city: string }) => {
    const text = await fetchWeather(city)
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  })
  return server
}

listenAndPrint(
  createServer(toNodeHandler(createMcpHandler(createYardstickServer, { responseMode: 'json' }))),
)
