/** The admin routes of the shared tool list and of the broadcast. */
import { ok } from '../../../core/errors.ts'
import { announceChange } from '../../../core/flow/registry/change-tool-list.ts'
import { PUSHED_TOOLS_MAX } from '../../../core/flow/registry/read-pushed-tools.ts'
import { syncToolList } from '../../../core/flow/registry/sync-tool-list.ts'
import { PRICE_CREDITS_MAX } from '../../../core/skills/limits.ts'
import { type AdminPorts, type Route, type Schema, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  CURSOR,
  SKILL_ID,
  TEXT,
  toAnsweredObject,
  toSentObject,
} from '../schemas/field-schemas.ts'

/** A tool of a pushed list. Members that are not listed here are dropped. */
const PUSHED_TOOL: Schema = {
  title: 'PushedTool',
  type: 'object',
  required: ['name', 'description', 'inputSchema'],
  properties: {
    name: TEXT,
    title: TEXT,
    description: TEXT,
    inputSchema: { type: 'object', description: 'JSON Schema of the arguments.' },
    outputSchema: { type: 'object', description: 'JSON Schema of structuredContent.' },
    annotations: { type: 'object', description: 'Hints of MCP, such as readOnlyHint.' },
    creditsPerCall: {
      type: 'number',
      minimum: 0,
      maximum: PRICE_CREDITS_MAX,
      description: 'Price that searches show; a call costs what the skill says.',
    },
    skillId: {
      ...SKILL_ID,
      description: 'The skill that a call runs; without it, the skill whose id is the name.',
    },
  },
}

const LIST_CHANGE_ASKED = toSentObject(
  'ListChangeAsked',
  {
    mode: {
      type: 'string',
      enum: ['rebuild', 'replace', 'drop'],
      default: 'rebuild',
      description:
        '`rebuild` from the official and market tiers, `replace` by `tools`, or `drop` all but the built-in.',
      'x-rule': 'must be rebuild, replace or drop',
    },
    tools: {
      type: 'array',
      maxItems: PUSHED_TOOLS_MAX,
      items: PUSHED_TOOL,
      description: 'With `replace` only.',
      'x-rule': `must be an array of at most ${PUSHED_TOOLS_MAX} tools`,
    },
    cursor: {
      ...CURSOR,
      description: 'With `rebuild` only: nextCursor of the previous answer.',
    },
  },
  [],
)

/** A body other than `{}` is refused, because its sender would expect it to be read. */
const REFRESH_ASKED = toSentObject('RefreshAsked', {}, [])

const CHANGED_AT = { ...AT_MS, description: 'Agents with an older list fetch it again.' }
const LIST_CHANGE = toAnsweredObject('ListChange', { tools: COUNT, changedAtMs: CHANGED_AT })
const LIST_STEP = toAnsweredObject('ListStep', {
  nextCursor: { ...TEXT, description: 'Send {"mode":"rebuild","cursor"} until there is none.' },
  read: { ...COUNT, description: 'Skills read so far.' },
})

async function readListVersion(ports: AdminPorts) {
  return ok({ changedAtMs: await ports.toolListVersion.read() })
}

export const TOOL_LIST_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/refresh-tools',
    operationId: 'refreshTools',
    tag: 'Tool list',
    summary: 'Tell all sessions to list their tools again',
    access: 'internal-secret',
    role: 'owner',
    body: { kind: 'json', schema: REFRESH_ASKED, required: false, example: {} },
    answers: {
      200: {
        description: 'Written.',
        shown: {
          schema: toAnsweredObject('Refreshed', { changedAtMs: CHANGED_AT }),
          example: { changedAtMs: 1795219200000 },
        },
      },
    },
    refuses: [],
    before: readListVersion,
    run: async (ports) => toAnswer(200, ok({ changedAtMs: await announceChange(ports) })),
  },
  {
    method: 'POST',
    path: '/sync_cache',
    operationId: 'syncCache',
    tag: 'Tool list',
    summary: 'Rebuild, replace or drop the tool list',
    access: 'either',
    role: 'publisher',
    body: {
      kind: 'json',
      schema: LIST_CHANGE_ASKED,
      required: false,
      example: { mode: 'rebuild' },
    },
    answers: {
      200: {
        description: 'Number of tools in the list, or an unfinished rebuild.',
        shown: {
          schema: { anyOf: [LIST_CHANGE, LIST_STEP] },
          example: { tools: 120, changedAtMs: 1795219200000 },
        },
      },
    },
    refuses: ['conflict'],
    before: readListVersion,
    run: async (ports, settings, { body }) =>
      toAnswer(200, await syncToolList(ports, settings, body)),
  },
]
