/** Tools and results in their richest form, for the tests of each revision's projection. */
import type { ContentBlock, ToolResult } from '../../../core/mcp/content.ts'
import type { Revision } from '../../../core/mcp/revision.ts'
import type { Tool } from '../../../core/skills/skill.ts'

export const SERVER = { name: 'skillgate', version: '1.2.3', instructions: 'Call tools.' }

export const WEATHER: Tool = {
  name: 'sg_weather',
  title: 'Weather',
  description: 'Weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' }, any: true } },
  skillId: 'sg_weather',
  priceMicroCredits: 500_000,
  outputSchema: { $id: 'w', type: 'object', properties: { c: { type: 'number' }, no: false } },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  emoji: '🌦',
  tags: ['weather'],
  typicalMs: 20,
  timeoutMs: 5_000,
}

/** The required members of every stored entry. */
export const PLAIN: Tool = {
  name: 'sg_plain',
  title: undefined,
  description: 'Does it.',
  inputSchema: { type: 'object' },
  skillId: undefined,
  priceMicroCredits: 0,
}

export const BLOCKS: readonly ContentBlock[] = [
  { type: 'text', text: '21 °C' },
  { type: 'image', data: 'AAEC', mimeType: 'image/png' },
  { type: 'audio', data: 'AAECAw==', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'x' } },
  { type: 'resource', resource: { uri: 'note://2', blob: 'AAEC' } },
  { type: 'resource_link', uri: 'https://a.example/1', name: 'one', title: 'The one' },
  { type: 'resource_link', uri: 'https://a.example/2', name: 'two' },
]

export function listed(revision: Revision, tools: readonly Tool[], nextCursor?: string): unknown {
  const page = { tools, nextCursor, dependsOnCaller: true }
  return JSON.parse(JSON.stringify(revision.results.listTools(page, SERVER)))
}

export function called(revision: Revision, result: Partial<ToolResult>): unknown {
  const whole = { content: [], isError: false, ...result }
  return JSON.parse(JSON.stringify(revision.results.callTool(whole, SERVER)))
}
