/** The admin route that stores skills: one skill, or several with a result for each. */
import { ok } from '../../../core/errors.ts'
import { SKILLS_SENT_MAX } from '../../../core/flow/registry/sent-skills.ts'
import { showSentSkill, syncSkills } from '../../../core/flow/registry/sync-skills.ts'
import type { Settings } from '../../../core/settings.ts'
import { DESCRIPTION_CHARS_MAX } from '../../../core/skills/limits.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import {
  type AdminPorts,
  type Route,
  type RouteAnswer,
  type RoutedRequest,
  type Schema,
  toAnswer,
} from '../route.ts'
import {
  CLEAR_SECRETS,
  OWNER,
  readClearSecrets,
  SOURCE,
  TEXT,
  toAnsweredObject,
} from '../schemas/field-schemas.ts'
import {
  MARKDOWN_EXAMPLE,
  SENT_SKILL,
  SKILL_EXAMPLE,
  STORED_SKILL,
} from '../schemas/skill-schemas.ts'

export const SYNCED_SKILL = toAnsweredObject('SyncedSkill', {
  skill: STORED_SKILL,
  toolName: { ...TEXT, description: 'Name by which agents call it.' },
  created: { type: 'boolean' },
  listed: { type: 'boolean', description: 'Whether agents see it in their list.' },
  warnings: { type: 'array', items: TEXT },
})

const RESULTS = toAnsweredObject('SyncResults', {
  results: {
    type: 'array',
    maxItems: SKILLS_SENT_MAX,
    items: toAnsweredObject(
      'SyncResult',
      {
        status: {
          type: 'integer',
          description: 'Status that the skill would have got if sent alone.',
        },
        synced: SYNCED_SKILL,
        problem: { $ref: '#/components/schemas/Problem' },
      },
      ['synced', 'problem'],
    ),
  },
})

/** The body is one skill or an array of skills. */
const SENT_SKILLS: Schema = {
  anyOf: [SENT_SKILL, { type: 'array', minItems: 1, maxItems: SKILLS_SENT_MAX, items: SENT_SKILL }],
}

const SHOWN_RESULTS = {
  schema: RESULTS,
  example: { results: [{ status: 201, synced: toSyncedExample(true) }] },
}

export const SYNC_ROUTE: Route = {
  method: 'POST',
  path: '/sync_skill',
  operationId: 'syncSkill',
  tag: 'Skills',
  summary: 'Put a skill',
  description:
    'Unified JSON when the text begins with `{`, JSON with comments when it begins with `//` or `/*`, ' +
    'Markdown otherwise, whatever the content type. Repeating a request changes nothing; a refused one leaves the old skill in place. ' +
    'What a GET of the registry answered is taken back, and so is an array of skills.',
  access: 'either',
  role: 'publisher',
  query: {
    source: { ...SOURCE, description: 'Tier, if the text does not name it.' },
    uid: OWNER,
    list: {
      type: 'string',
      enum: ['now', 'later'],
      default: 'now',
      description: '`later`: listed with the next sync_cache.',
      'x-rule': 'must be now or later',
    },
    credits: {
      type: 'string',
      pattern: '^\\d{1,5}(?:\\.\\d{1,6})?$',
      description: 'Price of a Markdown skill that has no credits_per_call.',
      'x-rule': 'must be a number of credits, such as 1 or 0.5',
    },
    description: {
      type: 'string',
      minLength: 1,
      maxLength: DESCRIPTION_CHARS_MAX,
      description: 'Description of a Markdown skill that has none.',
      'x-rule': `must be 1 to ${DESCRIPTION_CHARS_MAX} characters`,
    },
    strict: {
      type: 'string',
      enum: ['true', 'false'],
      description:
        '`true`: likely mistakes (misspelled fields, placeholders without a parameter) are faults. `false`: they ' +
        'are warnings. Absent: warnings, but they replace no skill that works without them.',
      'x-rule': 'must be true or false',
    },
    if_version: {
      type: 'string',
      pattern: '^(?:0|[1-9]\\d{0,8})$',
      description:
        'The version that the text was made of, `0` for a new skill. Refused if the skill has another one.',
      'x-rule': 'must be the number of a version, such as 3, or 0',
    },
    clear_secrets: CLEAR_SECRETS,
  },
  body: {
    kind: 'text',
    content: {
      'application/json': { schema: SENT_SKILLS, example: SKILL_EXAMPLE },
      'text/markdown': {
        schema: { type: 'string', description: 'Markdown.' },
        example: MARKDOWN_EXAMPLE,
      },
    },
  },
  answers: {
    200: { description: 'The skill existed and is now as sent.', shown: toSuccess(false) },
    201: { description: 'New.', shown: toSuccess(true) },
    207: { description: 'Several were sent; one result each, in order.', shown: SHOWN_RESULTS },
  },
  refuses: ['not_found', 'conflict', 'invalid_skill', 'invalid_arguments'],
  before: (ports, settings, request) => showSentSkill(ports, settings, readSentSkills(request)),
  run: runSyncSkill,
}

function toSuccess(created: boolean) {
  return { schema: SYNCED_SKILL, example: toSyncedExample(created) }
}

/** Returns the example of a response. */
export function toSyncedExample(created: boolean) {
  return { skill: SKILL_EXAMPLE, toolName: 'sg_weather', created, listed: true, warnings: [] }
}

async function runSyncSkill(
  ports: AdminPorts,
  settings: Settings,
  request: RoutedRequest,
): Promise<RouteAnswer> {
  const synced = await syncSkills(ports, settings, readSentSkills(request))
  if (!synced.ok) return synced
  if (synced.value.kind === 'many') return toAnswer(207, ok({ results: synced.value.results }))
  const { outcome } = synced.value
  return toAnswer(outcome.created ? 201 : 200, ok(outcome))
}

function readSentSkills(request: RoutedRequest) {
  const { admin, query, text } = request
  const { credits, description, if_version: ifVersion, list, source, strict, uid } = query
  return {
    text,
    source: SKILL_SOURCES.find((one) => one === source),
    uid,
    list: list === 'later' ? ('later' as const) : ('now' as const),
    strict: strict === undefined ? undefined : strict === 'true',
    ifVersion: ifVersion === undefined ? undefined : Number(ifVersion),
    clearSecrets: readClearSecrets(request),
    defaults: { credits: credits === undefined ? undefined : Number(credits), description },
    by: admin.name,
  }
}
