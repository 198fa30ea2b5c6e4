/** Schemas of the routes of upstreams: settings, state, plans, and what was changed. */
import {
  PRICE_CREDITS_MAX,
  RESPONSE_BYTES_MAX,
  TIMEOUT_MS_MAX,
} from '../../../core/skills/limits.ts'
import {
  REFRESH_MINUTES_DEFAULT,
  REFRESH_MINUTES_MAX,
  REFRESH_MINUTES_MIN,
  UPSTREAM_GLOB_CHARS_MAX,
  UPSTREAM_GLOBS_MAX,
  UPSTREAM_ID_CHARS_MAX,
  UPSTREAM_LIST_TOOLS_MAX,
  UPSTREAM_PREFIX_CHARS_MAX,
  UPSTREAM_TOOL_CHARS_MAX,
} from '../../../core/skills/upstreams/limits.ts'
import { OFFER_STATES, PIN_POLICIES } from '../../../core/skills/upstreams/upstream.ts'
import type { Properties, Schema } from '../route.ts'
import {
  AT_MS,
  COUNT,
  CREDITS_SHOWN,
  SKILL_GROUPS,
  TEXT,
  toAnsweredObject,
  toSentObject,
} from './field-schemas.ts'

export const UPSTREAM_ID: Schema = {
  type: 'string',
  pattern: `^[a-z][a-z0-9-]{0,${UPSTREAM_ID_CHARS_MAX - 1}}$`,
  examples: ['files'],
  description: 'Id of an upstream.',
  'x-rule': `must be 1 to ${UPSTREAM_ID_CHARS_MAX} characters of a-z 0-9 -, a letter first`,
}

export const TOOL_NAME: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: UPSTREAM_TOOL_CHARS_MAX,
  examples: ['read_file'],
  description: "The server's own name of a tool.",
  'x-rule': `must be 1 to ${UPSTREAM_TOOL_CHARS_MAX} characters`,
}

const PRICE: Schema = {
  type: 'number',
  minimum: 0,
  maximum: PRICE_CREDITS_MAX,
  'x-rule': `must be 0 to ${PRICE_CREDITS_MAX} credits with at most 6 decimals`,
}

const toFlag = (description: string): Schema => ({
  type: 'boolean',
  default: false,
  description,
  'x-rule': 'must be true or false',
})

const toGlobs = (description: string): Schema => ({
  type: 'array',
  maxItems: UPSTREAM_GLOBS_MAX,
  items: { type: 'string', minLength: 1, maxLength: UPSTREAM_GLOB_CHARS_MAX },
  description,
  'x-rule': `must be at most ${UPSTREAM_GLOBS_MAX} globs of up to ${UPSTREAM_GLOB_CHARS_MAX} characters; * is any text`,
})

const SETTINGS: Properties = {
  url: {
    type: 'string',
    minLength: 1,
    examples: ['https://mcp.example.com/mcp'],
    description: 'Address of the MCP server (Streamable HTTP).',
    'x-rule': 'must be an absolute URL',
  },
  prefix: {
    type: 'string',
    pattern: `^[a-z][a-z0-9]{0,${UPSTREAM_PREFIX_CHARS_MAX - 1}}$`,
    examples: ['files'],
    description: 'Its tools are called `sg_{prefix}_{tool}`. Cannot change.',
    'x-rule': `must be 1 to ${UPSTREAM_PREFIX_CHARS_MAX} characters of a-z 0-9, a letter first`,
  },
  source: {
    type: 'string',
    enum: ['official', 'market'],
    default: 'official',
    description: 'Tier of its skills. Cannot change.',
    'x-rule': 'must be official or market',
  },
  auth: {
    type: 'object',
    description: 'As `config.auth` of a skill: the name of a secret, never its value.',
    'x-rule': 'must be an object such as {"type": "bearer", "secret": "NAME"}',
  },
  headers: {
    type: 'object',
    description: 'As `config.headers` of a skill.',
    'x-rule': 'must be an object of texts by name',
  },
  include: toGlobs('Tools that are taken, by their own names; without it, all.'),
  exclude: toGlobs('Tools that are left out all the same.'),
  credits: { ...PRICE, default: 0, description: 'Credits per call.' },
  prices: {
    type: 'object',
    maxProperties: UPSTREAM_LIST_TOOLS_MAX,
    additionalProperties: PRICE,
    description: "Credits by the server's own name of a tool.",
    'x-rule': 'must be an object of credits by tool',
  },
  timeout_ms: {
    type: 'integer',
    minimum: 1,
    maximum: TIMEOUT_MS_MAX,
    description: 'As `config.timeout_ms` of a skill.',
    'x-rule': `must be a whole number from 1 to ${TIMEOUT_MS_MAX}`,
  },
  max_response_bytes: {
    type: 'integer',
    minimum: 1,
    maximum: RESPONSE_BYTES_MAX,
    description: 'As `config.max_response_bytes` of a skill.',
    'x-rule': `must be a whole number from 1 to ${RESPONSE_BYTES_MAX}`,
  },
  refresh_minutes: {
    type: 'integer',
    minimum: 0,
    maximum: REFRESH_MINUTES_MAX,
    default: REFRESH_MINUTES_DEFAULT,
    description: `Minutes between refreshes, at least ${REFRESH_MINUTES_MIN}; 0: by hand alone.`,
    'x-rule': `must be 0, or ${REFRESH_MINUTES_MIN} to ${REFRESH_MINUTES_MAX}`,
  },
  pins: {
    type: 'string',
    enum: PIN_POLICIES,
    default: 'review',
    description:
      '`trust`: takes changes over. `review`: a changed tool is held, and a new one waits. `block`: one changed tool holds all.',
    'x-rule': `must be one of ${PIN_POLICIES.join(', ')}`,
  },
  groups: SKILL_GROUPS,
  charge_tool_errors: toFlag('Results with `isError` are charged.'),
  resources: toFlag("Agents read the server's resources and prompts."),
}

const REQUIRED = ['url', 'prefix']

export const SENT_SETTINGS = toSentObject('SentUpstream', SETTINGS, REQUIRED)

const DIGEST: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'sha256 in base64url.',
  'x-rule': 'must be a digest of 43 characters, as a plan or an upstream shows it',
}

export const SENT_UPSTREAM = toSentObject(
  'AppliedUpstream',
  { ...SETTINGS, digest: { ...DIGEST, description: 'The digest of the plan that was looked at.' } },
  [...REQUIRED, 'digest'],
)

export const SENT_APPROVAL = toSentObject(
  'UpstreamApproval',
  {
    tools: {
      type: 'array',
      minItems: 1,
      maxItems: UPSTREAM_LIST_TOOLS_MAX,
      items: {
        title: 'ApprovedTool',
        type: 'object',
        additionalProperties: false,
        required: ['tool', 'digest'],
        properties: { tool: TOOL_NAME, digest: DIGEST },
      },
      'x-rule': 'must be a list of {"tool", "digest"}',
    },
  },
  ['tools'],
)

const STATE: Schema = { type: 'string', enum: ['ok', 'stale', 'deleting'] }
const TEXTS: Schema = { type: 'array', items: TEXT }
const SERVER = toAnsweredObject('UpstreamServer', { name: TEXT, version: TEXT })

const NUMBER: Schema = { type: 'integer' }
const HELD = toAnsweredObject('UpstreamHeld', {
  resources: NUMBER,
  resource_templates: NUMBER,
  prompts: NUMBER,
  left_out: {
    ...NUMBER,
    description: 'Entries that are unusable here, or past a limit.',
  },
})

const UPSTREAM_FIELDS: Properties = {
  id: UPSTREAM_ID,
  state: STATE,
  settings: { type: 'object', description: 'As sent, with the defaults.' },
  tools: { ...COUNT, description: 'Tools of the last listing that are taken.' },
  counts: toAnsweredObject(
    'UpstreamCounts',
    Object.fromEntries(OFFER_STATES.map((state) => [state, COUNT])),
  ),
  listedAtMs: AT_MS,
  nextRefreshAtMs: AT_MS,
  failures: { ...COUNT, description: 'Refreshes in a row without a list.' },
  lastFailure: TEXT,
  server: SERVER,
  held: HELD,
  protocol: { ...TEXT, description: 'Revision of MCP that the server spoke.' },
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS,
  by: TEXT,
}
const OPTIONAL_FIELDS = [
  'listedAtMs',
  'nextRefreshAtMs',
  'lastFailure',
  'server',
  'protocol',
  'held',
]

export const UPSTREAM_LIST = toAnsweredObject('UpstreamList', {
  upstreams: {
    type: 'array',
    items: toAnsweredObject('Upstream', UPSTREAM_FIELDS, OPTIONAL_FIELDS),
  },
})

const UPSTREAM_TOOL = toAnsweredObject(
  'UpstreamTool',
  {
    tool: TEXT,
    state: { type: 'string', enum: ['approved', ...OFFER_STATES] },
    skillId: TEXT,
    skillState: TEXT,
    isHeld: { type: 'boolean', description: 'Listed as approved, and calls are refused.' },
    pin: { ...DIGEST, description: 'Digest of the approved definition.' },
    digest: { ...TEXT, description: 'Digest of what waits, for an approval.' },
    seenAtMs: AT_MS,
    faults: TEXTS,
    fields: { ...TEXTS, description: 'In which the definitions differ.' },
    approved: { type: 'object', description: 'With `?tool=`: `meta` of the skill.' },
    offered: { type: 'object', description: 'With `?tool=`: `meta` after an approval.' },
  },
  [
    'skillId',
    'skillState',
    'isHeld',
    'pin',
    'digest',
    'seenAtMs',
    'faults',
    'fields',
    'approved',
    'offered',
  ],
)

export const SHOWN_UPSTREAM = toAnsweredObject(
  'UpstreamWithTools',
  { ...UPSTREAM_FIELDS, tools: { type: 'array', items: UPSTREAM_TOOL } },
  OPTIONAL_FIELDS,
)

export const UPSTREAM_PLAN = toAnsweredObject(
  'UpstreamPlan',
  {
    digest: { ...DIGEST, description: 'What an apply names.' },
    isFirst: { type: 'boolean', description: 'An apply approves all tools that are not flagged.' },
    server: SERVER,
    protocol: TEXT,
    tools: {
      type: 'array',
      items: toAnsweredObject(
        'UpstreamPlanTool',
        {
          tool: TEXT,
          skillId: TEXT,
          digest: TEXT,
          does: {
            type: 'string',
            enum: ['added', 'changed', 'unchanged', 'disabled', 'deleted', ...OFFER_STATES],
          },
          waits: {
            type: 'boolean',
            description: 'What the server offers now is not taken over.',
          },
          faults: TEXTS,
          notes: TEXTS,
          bytes: { ...COUNT, description: 'UTF-8 bytes in a tool list.' },
          tokens: { ...COUNT, description: 'Estimate: 4 bytes a token.' },
          credits: CREDITS_SHOWN,
        },
        ['bytes', 'tokens', 'credits'],
      ),
    },
    disabled: { ...TEXTS, description: 'Skills whose tools are gone or left out.' },
    excluded: { ...TEXTS, description: 'Tools that the globs leave out.' },
    nameless: { ...TEXTS, description: 'Entries without a usable name.' },
    collisions: { ...TEXTS, description: 'Names that somebody else has, with both owners.' },
    listBytes: COUNT,
    listTokens: COUNT,
  },
  ['server'],
)

export const UPSTREAM_CHANGED = toAnsweredObject(
  'UpstreamChanged',
  {
    added: TEXTS,
    changed: TEXTS,
    removed: TEXTS,
    listed: { ...COUNT, description: 'Tools of the new tool list, if one was made.' },
    counts: toAnsweredObject(
      'UpstreamWaiting',
      Object.fromEntries(OFFER_STATES.map((state) => [state, COUNT])),
    ),
  },
  ['listed'],
)

export const SETTINGS_EXAMPLE = {
  url: 'https://mcp.example.com/mcp',
  prefix: 'files',
  auth: { type: 'bearer', secret: 'FILES_TOKEN' },
  credits: 0.5,
  prices: { write_file: 1 },
  exclude: ['delete_*'],
}
const DIGEST_EXAMPLE = 'rZIp6NH9WDXEflkAaol0cTAI2IOjuhs1jl6Jec-N-tE'
export const UPSTREAM_EXAMPLE = { ...SETTINGS_EXAMPLE, digest: DIGEST_EXAMPLE }
export const APPROVAL_EXAMPLE = { tools: [{ tool: 'read_file', digest: DIGEST_EXAMPLE }] }

const NO_COUNTS = { new: 0, changed: 0, flagged: 0, gone: 0, unusable: 0 }
const SHOWN_SETTINGS = {
  ...SETTINGS_EXAMPLE,
  source: 'official',
  refresh_minutes: 60,
  pins: 'review',
  charge_tool_errors: false,
  resources: false,
}

export const SHOWN_EXAMPLE = {
  id: 'files',
  state: 'ok',
  settings: SHOWN_SETTINGS,
  tools: 1,
  counts: { ...NO_COUNTS, changed: 1 },
  listedAtMs: 1795219200000,
  nextRefreshAtMs: 1795222800000,
  failures: 0,
  server: { name: 'files', version: '2.1.0' },
  protocol: '2025-11-25',
  createdAtMs: 1795219200000,
  updatedAtMs: 1795219200000,
  by: 'ada',
}
export const SHOWN_TOOLS_EXAMPLE = {
  ...SHOWN_EXAMPLE,
  tools: [
    {
      tool: 'read_file',
      state: 'changed',
      skillId: 'sg_files_read_file',
      skillState: 'review',
      isHeld: true,
      pin: DIGEST_EXAMPLE,
      digest: 'Yw3NKWbEM2aRElRIu7JbT_QSpJxzLbLIq8G4WBvXEN0',
      seenAtMs: 1795219200000,
      faults: [],
      fields: ['description'],
    },
  ],
}
export const PLAN_EXAMPLE = {
  digest: DIGEST_EXAMPLE,
  isFirst: true,
  server: { name: 'files', version: '2.1.0' },
  protocol: '2025-11-25',
  tools: [
    {
      tool: 'read_file',
      skillId: 'sg_files_read_file',
      digest: DIGEST_EXAMPLE,
      does: 'added',
      waits: false,
      faults: [],
      notes: [],
      bytes: 412,
      tokens: 103,
      credits: 0.5,
    },
  ],
  disabled: [],
  excluded: ['delete_file'],
  nameless: [],
  collisions: [],
  listBytes: 412,
  listTokens: 103,
}
export const CHANGED_EXAMPLE = {
  added: ['sg_files_read_file'],
  changed: [],
  removed: [],
  listed: 121,
  counts: NO_COUNTS,
}
