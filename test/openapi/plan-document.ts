/**
 * One document through the flow of :plan, and its tools through tools/list of the official client,
 * which parses every tool and compiles every output schema.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { type Tool as ListedTool, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { type ImportPlan, planImport } from '../../core/flow/imports/plan-import.ts'
import { toLegacyOutputSchema, withoutBooleanSchemas } from '../../core/mcp/listed-schema.ts'
import { readSkill } from '../../core/skills/definition/read-skill.ts'
import { toTool } from '../../core/skills/skill-tool.ts'
import { makeWorld, okOf, SETTINGS } from '../core/flow/world.ts'

export type PlannedDocument =
  | { readonly kind: 'planned'; readonly ms: number; readonly plan: ImportPlan }
  | { readonly kind: 'refused'; readonly ms: number; readonly detail: string }

const HOSTS = /"(?:url|host)":\s*"(?:https?:)?(?:\/\/)?([^"/:{}\s]+)/gi

/**
 * With all its operations, deprecated ones too. Its hosts are allowed, since many documents name private ones, or http: that
 * is the operator's to judge, and says nothing of the import.
 */
export async function planDocument(text: string): Promise<PlannedDocument> {
  const outboundAllow = [...text.matchAll(HOSTS)].map(([, host = '']) => host.toLowerCase())
  const { ports, settings } = makeWorld({ ...SETTINGS, outboundAllow: [...new Set(outboundAllow)] })
  const request = {
    prefix: 'doc',
    document: text,
    defaults: { credits: 1 },
    selection: { all: true, deprecated: true },
    baseUrl: 'https://base.example',
  }
  const startedAtMs = performance.now()
  const planned = await planImport(ports, settings, request)
  const ms = performance.now() - startedAtMs
  return planned.ok
    ? { kind: 'planned', ms, plan: planned.value }
    : { kind: 'refused', ms, detail: planned.error.detail }
}

export function toolsOf({ skills }: ImportPlan): readonly ListedTool[] {
  return skills.map(({ definition }) => {
    const { skill } = okOf(readSkill(definition, { prefix: 'sg' }))
    const { annotations, description, name, title, ...schemas } = toTool(skill, skill.skillId)
    // As the lists of the revisions write them.
    const inputSchema = withoutBooleanSchemas(schemas.inputSchema)
    const outputSchema = toLegacyOutputSchema(schemas.outputSchema)
    const listed = { name, title, description, inputSchema, outputSchema, annotations }
    return JSON.parse(JSON.stringify(listed)) as ListedTool
  })
}

/** The number of tools that the client took; throws what the client throws. */
export async function listWithClient(tools: readonly ListedTool[]): Promise<number> {
  const server = new Server({ name: 'documents', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }))
  const client = new Client({ name: 'reader', version: '1' })
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(serverEnd), client.connect(clientEnd)])
  const { tools: listed } = await client.listTools()
  await client.close()
  return listed.length
}
