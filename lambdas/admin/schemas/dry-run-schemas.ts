/** Schemas of dry runs: the request of an administrator, and the report of what a call would do. */
import { SECRET_NAME_PATTERN } from '../../../core/secrets/secret.ts'
import type { Schema } from '../route.ts'
import {
  BUDGET_SHOWN,
  COUNT,
  CREDITS_SHOWN,
  REMEDY,
  SIGNED_CREDITS_SHOWN,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toSentObject,
  UID,
} from './field-schemas.ts'
import { KEY_DAY_SHOWN } from './key-schemas.ts'
import { SKILL_EXAMPLE } from './skill-schemas.ts'

const CALLER = {
  ...UID,
  description: 'The user to call as; without it, only shared secrets are used.',
}
const ARGUMENTS: Schema = {
  type: 'object',
  description: "The arguments of the call; checked as a call's are.",
  'x-rule': 'must be an object of arguments',
}

export const DRY_RUN_ASKED = toSentObject('DryRunAsked', { uid: CALLER, arguments: ARGUMENTS }, [])
export const SENT_DRY_RUN = toSentObject(
  'SentDryRun',
  {
    skill: {
      type: 'object',
      description: 'Unified JSON. Checked as a sync would, and not stored.',
      'x-rule': 'must be a skill in unified JSON',
    },
    source: { ...SOURCE, description: 'Tier, if the skill does not name it.' },
    uid: { ...CALLER, description: 'The user to call as; the owner of a private skill.' },
    arguments: ARGUMENTS,
  },
  ['skill'],
)

const toList = (items: Schema): Schema => ({ type: 'array', items })
const RULE_TEXT = { ...TEXT, description: 'What decided.' }

const PROBLEM = toAnsweredObject(
  'DryRunProblem',
  {
    code: TEXT,
    detail: TEXT,
    remedy: REMEDY,
    errors: toList(toAnsweredObject('FieldFault', { pointer: TEXT, message: TEXT })),
  },
  ['remedy', 'errors'],
)

const HEADER = toAnsweredObject('DryRunHeader', { name: TEXT, value: TEXT })

const REQUEST = toAnsweredObject(
  'DryRunRequest',
  {
    method: TEXT,
    url: TEXT,
    headers: {
      ...toList(HEADER),
      description: 'All headers of the request, in their order.',
    },
    body: TEXT,
    bodyBase64: { ...TEXT, description: 'The body, if it is not UTF-8 text.' },
    bodyIsCut: { const: true },
  },
  ['body', 'bodyBase64', 'bodyIsCut'],
)

const SECRET = toAnsweredObject(
  'DryRunSecret',
  {
    name: { ...TEXT, pattern: SECRET_NAME_PATTERN },
    state: { type: 'string', enum: ['found', 'missing', 'refused'] },
    from: { type: 'string', enum: ['user-skill', 'user', 'shared-skill', 'shared'] },
    detail: { ...TEXT, description: 'Why the secret is missing or refused, and who can set it.' },
    remedy: REMEDY,
  },
  ['from', 'detail', 'remedy'],
)

const TARGET = toAnsweredObject('DryRunTarget', {
  origin: TEXT,
  allowed: { type: 'boolean' },
  rule: RULE_TEXT,
  addresses: {
    ...toList(
      toAnsweredObject('DryRunAddress', {
        address: TEXT,
        allowed: { type: 'boolean' },
        rule: RULE_TEXT,
      }),
    ),
    description: 'Addresses that the host name resolves to now.',
  },
})

const BREAKER = toAnsweredObject(
  'DryRunBreaker',
  {
    state: { type: 'string', enum: ['closed', 'open', 'half-open'] },
    of: { type: 'string', enum: ['caller', 'reach', 'service'] },
    retryAfterSec: COUNT,
  },
  ['of', 'retryAfterSec'],
)

const MAPPING = toAnsweredObject(
  'DryRunMapping',
  {
    okStatuses: toList(TEXT),
    as: TEXT,
    pick: TEXT,
    failIf: toList(TEXT),
    showHeaders: toList(TEXT),
    hasOutputSchema: { type: 'boolean' },
    hooks: toList(TEXT),
    bytesMax: COUNT,
    timeoutMs: COUNT,
    retries: COUNT,
  },
  ['pick'],
)

const SENT = toAnsweredObject(
  'DryRunSent',
  {
    durationMs: { type: 'number', minimum: 0 },
    sends: {
      ...toList(
        toAnsweredObject(
          'DryRunSend',
          {
            method: TEXT,
            host: TEXT,
            status: COUNT,
            failure: TEXT,
            phases: toAnsweredObject(
              'DryRunPhases',
              { connect: COUNT, firstByte: COUNT, body: COUNT },
              ['connect', 'firstByte', 'body'],
            ),
          },
          ['status', 'failure'],
        ),
      ),
      description: 'Requests sent, those of hooks and retries included.',
    },
    answer: toAnsweredObject('DryRunAnswer', {
      status: COUNT,
      mediaType: TEXT,
      bytes: COUNT,
      headers: toList(HEADER),
      start: { ...TEXT, description: 'The first 2 KB of the body, with secrets masked.' },
    }),
    judgement: toAnsweredObject('DryRunJudgement', {
      statusIs: { type: 'string', enum: ['success', 'failure'] },
      by: { type: 'string', enum: ['2xx', 'ok_statuses', 'no rule'] },
      failIf: toList(
        toAnsweredObject('DryRunCondition', { condition: TEXT, holds: { type: 'boolean' } }),
      ),
    }),
    result: toAnsweredObject('DryRunResult', { content: toList({}), structuredContent: {} }, [
      'structuredContent',
    ]),
    resultUnits: { ...COUNT, description: 'Length of a result that is too long to be shown.' },
    asks: { type: 'object', description: "What the upstream asks the caller's client first." },
    failure: toAnsweredObject('DryRunFailure', { code: TEXT, detail: TEXT, upstreamFault: TEXT }, [
      'upstreamFault',
    ]),
  },
  ['answer', 'judgement', 'result', 'resultUnits', 'asks', 'failure'],
)

const LIMITS = toAnsweredObject(
  'DryRunLimits',
  {
    credits: SIGNED_CREDITS_SHOWN,
    monthlyBudget: BUDGET_SHOWN,
    holds: COUNT,
    holdsMax: COUNT,
    callsPerMinute: { ...COUNT, description: 'Calls that each key may make in a minute.' },
    resetSec: COUNT,
    keys: toList(
      toAnsweredObject(
        'DryRunKey',
        {
          keyId: TEXT,
          keyPrefix: TEXT,
          callsLeft: COUNT,
          monthlyBudget: BUDGET_SHOWN,
          callsPerDay: KEY_DAY_SHOWN,
        },
        ['monthlyBudget', 'callsPerDay'],
      ),
    ),
  },
  ['monthlyBudget'],
)

export const DRY_RUN = toAnsweredObject(
  'DryRun',
  {
    skillId: TEXT,
    source: SOURCE,
    toolName: TEXT,
    version: { ...COUNT, description: 'Absent for a skill that is not stored.' },
    price: CREDITS_SHOWN,
    uid: { ...TEXT, description: 'The user whom the dry run called as.' },
    warnings: toList(TEXT),
    problems: {
      ...toList(PROBLEM),
      description: 'Why a call would be refused; empty if it would run.',
    },
    request: REQUEST,
    hookRequests: { ...toList(REQUEST), description: 'Requests that hooks send before it.' },
    secrets: toList(SECRET),
    target: TARGET,
    breaker: BREAKER,
    mapping: MAPPING,
    limits: LIMITS,
    sent: { ...SENT, description: 'With `send`: how the call went.' },
  },
  ['version', 'uid', 'warnings', 'request', 'limits', 'sent'],
)

export const DRY_RUN_ASKED_EXAMPLE = { uid: 'ada', arguments: { city: 'Oslo' } }
export const SENT_DRY_RUN_EXAMPLE = { skill: SKILL_EXAMPLE, arguments: { city: 'Oslo' } }

export const DRY_RUN_EXAMPLE = {
  skillId: 'sg_weather',
  source: 'official',
  toolName: 'sg_weather',
  version: 3,
  price: 0.5,
  uid: 'ada',
  problems: [],
  request: {
    method: 'GET',
    url: 'https://api.example/weather?city=Oslo',
    headers: [
      { name: 'host', value: 'api.example' },
      { name: 'authorization', value: 'Bearer [secret WEATHER_KEY]' },
    ],
  },
  hookRequests: [],
  secrets: [{ name: 'WEATHER_KEY', state: 'found', from: 'shared' }],
  target: {
    origin: 'https://api.example',
    allowed: true,
    rule: 'the URL is https on port 443 of a public name, and every address of the name is public',
    addresses: [{ address: '93.184.216.34', allowed: true, rule: 'is public' }],
  },
  breaker: { state: 'closed' },
  mapping: {
    okStatuses: ['2xx'],
    as: 'auto',
    failIf: [],
    showHeaders: [],
    hasOutputSchema: false,
    hooks: [],
    bytesMax: 1048576,
    timeoutMs: 10000,
    retries: 1,
  },
  limits: {
    credits: 99.5,
    holds: 0,
    holdsMax: 32,
    callsPerMinute: 60,
    resetSec: 42,
    keys: [{ keyId: 'sRZ0…', keyPrefix: 'sgk_4fZk', callsLeft: 58 }],
  },
}
