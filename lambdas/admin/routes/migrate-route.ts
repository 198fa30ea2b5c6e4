/** POST migrate: moves the records of the earlier service in steps, each of limited length. */
import {
  MIGRATE_STEP_DEFAULT,
  MIGRATE_STEP_MAX,
  type MigrateStep,
  migrateTable,
} from '../../../core/flow/migration/migrate-table.ts'
import { isJsonObject, type Json } from '../../../core/json/json.ts'
import { type Route, toAnswer } from '../route.ts'
import {
  COUNT,
  CREDITS_SHOWN,
  CURSOR,
  TEXT,
  toAnsweredObject,
  toPageQuery,
  toSentObject,
} from '../schemas/field-schemas.ts'

const { limit } = toPageQuery({ max: MIGRATE_STEP_MAX, otherwise: MIGRATE_STEP_DEFAULT })

const STEP = toSentObject(
  'MigrationStep',
  {
    cursor: {
      ...CURSOR,
      description: '`nextCursor` of the previous step.',
    },
    dryRun: {
      type: 'boolean',
      default: false,
      description: 'Reports what the step would do, without doing it.',
      'x-rule': 'must be true or false',
    },
    limit: { ...limit, description: 'Number of stored records that this step reads.' },
    close: {
      type: 'boolean',
      default: false,
      description:
        'Declares that the old writers are gone, so that late credits are no longer looked for. Not with `dryRun`.',
      'x-rule': 'must be true or false',
    },
  },
  [],
)

const REPORT = toAnsweredObject(
  'MigrationReport',
  {
    moved: { ...COUNT, description: 'Users and keys that were moved.' },
    folded: { ...COUNT, description: 'Users who received the rest of an old record.' },
    credits: { ...CREDITS_SHOWN, description: 'Credits moved, both ways together.' },
    skipped: {
      type: 'array',
      description: 'Records that were not moved.',
      items: toAnsweredObject('SkippedRecord', {
        record: TEXT,
        message: { ...TEXT, description: 'Why, and what to do.' },
      }),
    },
    nextCursor: { ...TEXT, description: 'Send it as `cursor`; absent after the last step.' },
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
    'One step; the next begins at its nextCursor. Users and keys in use move by themselves; ' +
    'this moves the others. Steps may be repeated or run at once.',
  access: 'either',
  role: 'owner',
  body: { kind: 'json', schema: STEP, required: false, example: { dryRun: true } },
  answers: {
    200: {
      description: 'Report of this step.',
      shown: {
        schema: REPORT,
        example: {
          moved: 12,
          folded: 1,
          credits: 340.5,
          skipped: [],
          nextCursor: 'MTphYmM',
        },
      },
    },
  },
  refuses: [],
  run: async (ports, _settings, { body }) => toAnswer(200, await migrateTable(ports, toStep(body))),
}

/** Reads a body that fits {@link STEP}. */
function toStep(body: Json): MigrateStep {
  const { close, cursor, dryRun, limit: count } = isJsonObject(body) ? body : {}
  return {
    dryRun: dryRun === true,
    close: close === true,
    ...(typeof cursor === 'string' ? { cursor } : {}),
    ...(typeof count === 'number' ? { limit: count } : {}),
  }
}
