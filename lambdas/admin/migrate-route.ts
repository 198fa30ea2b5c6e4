/** POST migrate: the records of the earlier service, moved in steps that each end in time. */
import {
  MIGRATE_STEP_DEFAULT,
  MIGRATE_STEP_MAX,
  type MigrateStep,
  migrateTable,
} from '../../core/flow/migration/migrate-table.ts'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import {
  answeredObject,
  COUNT,
  CREDITS_SHOWN,
  CURSOR,
  pageQuery,
  sentObject,
  TEXT,
} from './field-schemas.ts'
import { answer, type Route } from './route.ts'

const { limit } = pageQuery({ max: MIGRATE_STEP_MAX, otherwise: MIGRATE_STEP_DEFAULT })

const STEP = sentObject(
  'MigrationStep',
  {
    cursor: {
      ...CURSOR,
      description: '`nextCursor` of the step before.',
      'x-rule': 'is not one that a step answered; begin without one',
    },
    dryRun: {
      type: 'boolean',
      default: false,
      description: 'Says what would be done, and does nothing.',
      'x-rule': 'must be true or false',
    },
    limit: { ...limit, description: 'Records of the whole store that this step looks at.' },
    close: {
      type: 'boolean',
      default: false,
      description:
        'Old writers are gone: nobody looks for late credits from now on. Not with `dryRun`.',
      'x-rule': 'must be true or false',
    },
  },
  [],
)

const REPORT = answeredObject(
  'MigrationReport',
  {
    moved: { ...COUNT, description: 'Users and keys that have their records here now.' },
    folded: { ...COUNT, description: 'Users who got what was left in an old record.' },
    credits: { ...CREDITS_SHOWN, description: 'Moved by both.' },
    skipped: {
      type: 'array',
      description: 'Records that stay where they are.',
      items: answeredObject('SkippedRecord', {
        record: TEXT,
        message: { ...TEXT, description: 'Why, and what to do.' },
      }),
    },
    nextCursor: { ...TEXT, description: 'Send it as `cursor`; absent when all is done.' },
  },
  ['nextCursor'],
)

export const MIGRATE_ROUTE: Route = {
  method: 'POST',
  path: '/migrate',
  operationId: 'migrate',
  tag: 'Service',
  summary: 'Move records of the earlier service',
  description:
    'One step; the next begins at its nextCursor. Users and keys that are used move by themselves: ' +
    'this does the rest. Repeatable, and two at once do no harm.',
  access: 'either',
  body: { kind: 'json', schema: STEP, required: false, example: { dryRun: true } },
  answers: {
    200: {
      description: 'What this step did, or would do.',
      shown: {
        schema: REPORT,
        example: { moved: 12, folded: 1, credits: 340.5, skipped: [], nextCursor: 'MTphYmM' },
      },
    },
  },
  refuses: [],
  run: async (ports, _settings, { body }) => answer(200, await migrateTable(ports, stepOf(body))),
}

/** Of a body that fits {@link STEP}. */
function stepOf(body: Json): MigrateStep {
  const { close, cursor, dryRun, limit: count } = isJsonObject(body) ? body : {}
  return {
    dryRun: dryRun === true,
    close: close === true,
    ...(typeof cursor === 'string' ? { cursor } : {}),
    ...(typeof count === 'number' ? { limit: count } : {}),
  }
}
