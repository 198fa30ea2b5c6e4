/** The admin routes that show what a call would do (docs/admin-api.md, Dry runs). */
import { TEST_SENDS_PER_MINUTE_MAX } from '../../../core/flow/dry-run/allow-send.ts'
import {
  type DryRunInput,
  dryRunStored,
  dryRunUnstored,
  type UnstoredDryRun,
} from '../../../core/flow/dry-run/dry-run-skill.ts'
import type { Json } from '../../../core/json/json.ts'
import { type Route, type RoutedRequest, toAnswer } from '../route.ts'
import {
  DRY_RUN,
  DRY_RUN_ASKED,
  DRY_RUN_ASKED_EXAMPLE,
  DRY_RUN_EXAMPLE,
  SENT_DRY_RUN,
  SENT_DRY_RUN_EXAMPLE,
} from '../schemas/dry-run-schemas.ts'
import {
  CLEAR_SECRETS,
  OWNER,
  readClearSecrets,
  SKILL_ID,
  SOURCE,
} from '../schemas/field-schemas.ts'
import { readSkillPlace } from './skill-routes.ts'

const SEND = {
  type: 'string',
  enum: ['true', 'false'],
  default: 'false',
  description: `\`true\`: really calls, free of charge; ${TEST_SENDS_PER_MINUTE_MAX} a minute and admin key, not for the role viewer.`,
  'x-rule': 'must be true or false',
}

const COMMON = {
  method: 'POST',
  tag: 'Skills',
  access: 'either',
  role: 'viewer',
  reads: (request) => !isSending(request),
  answers: {
    200: {
      description:
        'What a call would do, also where it would be refused; with `send`, what it did.',
      shown: { schema: DRY_RUN, example: DRY_RUN_EXAMPLE },
    },
  },
} as const satisfies Partial<Route>

export const DRY_RUN_ROUTES: readonly Route[] = [
  {
    ...COMMON,
    path: '/skills/{source}/{skillId}/dry-run',
    operationId: 'dryRunSkill',
    summary: 'Tell what a call of a skill would do',
    description:
      'The request with secrets masked, the secrets, the target, the limits. Sends, charges and writes nothing; with `send` it really calls, free of charge.',
    params: { source: SOURCE, skillId: SKILL_ID },
    query: { uid: OWNER, send: SEND },
    body: {
      kind: 'json',
      schema: DRY_RUN_ASKED,
      required: false,
      example: DRY_RUN_ASKED_EXAMPLE,
    },
    refuses: ['not_found', 'invalid_skill', 'rate_limited'],
    run: async (ports, settings, request) => {
      const asked = { ...asBody<DryRunInput>(request.body), ...readTerms(request) }
      return toAnswer(200, await dryRunStored(ports, settings, readSkillPlace(request), asked))
    },
  },
  {
    ...COMMON,
    path: '/skills:dry-run',
    operationId: 'dryRunSentSkill',
    summary: 'Tell what a call of a skill that is not stored would do',
    description: 'Refuses what a sync would refuse, and stores nothing.',
    query: { send: SEND, clear_secrets: CLEAR_SECRETS },
    body: { kind: 'json', schema: SENT_DRY_RUN, required: true, example: SENT_DRY_RUN_EXAMPLE },
    refuses: ['not_found', 'invalid_skill', 'invalid_arguments', 'rate_limited'],
    run: async (ports, settings, request) => {
      const clearSecrets = readClearSecrets(request)
      const sent = { ...asBody<UnstoredDryRun>(request.body), ...readTerms(request), clearSecrets }
      return toAnswer(200, await dryRunUnstored(ports, settings, sent))
    },
  },
]

function isSending({ query }: RoutedRequest): boolean {
  return query['send'] === 'true'
}

function readTerms(request: RoutedRequest) {
  return { admin: request.admin, send: isSending(request) }
}

/** The body was checked against its schema before. */
function asBody<T>(body: Json): T {
  return body as unknown as T
}
