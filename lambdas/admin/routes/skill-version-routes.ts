/** The admin routes of skill versions: list them, compare two, and roll back to one. */
import { showSkill } from '../../../core/flow/registry/manage-skills.ts'
import {
  DIFFERENCES_MAX,
  diffVersions,
  listVersions,
  rollbackSkill,
  showVersion,
} from '../../../core/flow/registry/skill-versions.ts'
import {
  SKILL_VERSIONS_KEPT,
  SKILL_VERSIONS_PAGE_DEFAULT,
  SKILL_VERSIONS_PAGE_MAX,
} from '../../../core/skills/limits.ts'
import { SKILL_ORIGINS } from '../../../core/skills/skill.ts'
import { type Route, type RoutedRequest, readPageQuery, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  OWNER,
  SKILL_ID,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  toSentObject,
} from '../schemas/field-schemas.ts'
import { readSkillPlace, SHOWN_SKILL, SKILL } from './skill-routes.ts'
import { SYNCED_SKILL, toSyncedExample } from './sync-route.ts'

const VERSION_NUMBER = {
  type: 'string',
  pattern: '^[1-9]\\d{0,8}$',
  description: 'Number of a version.',
  'x-rule': 'must be the number of a version, such as 3',
}

const VERSION = toAnsweredObject('SkillVersion', {
  version: { ...COUNT, description: 'The ledger shows it as skillVersion.' },
  madeAtMs: AT_MS,
  by: { ...TEXT, description: 'The administrator who made it.' },
  origin: { type: 'string', enum: SKILL_ORIGINS },
  toolName: TEXT,
})

const DIFFERENCE = toAnsweredObject(
  'SkillDifference',
  {
    pointer: { ...TEXT, description: 'JSON Pointer into the definition.' },
    before: { description: 'Absent where the member was added.' },
    after: { description: 'Absent where it was removed.' },
  },
  ['before', 'after'],
)

const DIFF = toAnsweredObject('SkillDiff', {
  from: COUNT,
  to: COUNT,
  differences: { type: 'array', items: DIFFERENCE, maxItems: DIFFERENCES_MAX },
  more: { type: 'boolean', description: `There are more than ${DIFFERENCES_MAX}.` },
})

const ROLLBACK = toSentObject(
  'Rollback',
  { version: { ...COUNT, minimum: 1, 'x-rule': 'must be the number of a version, such as 3' } },
  ['version'],
)

const PLACE_PARAMS = { source: SOURCE, skillId: SKILL_ID }

export const SKILL_VERSION_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/skills/{source}/{skillId}/versions',
    operationId: 'listSkillVersions',
    tag: 'Skills',
    summary: 'List the versions of a skill',
    description: `Newest first; the last ${SKILL_VERSIONS_KEPT} are kept, also of a deleted skill.`,
    access: 'either',
    role: 'viewer',
    params: PLACE_PARAMS,
    query: {
      uid: OWNER,
      ...toPageQuery({ max: SKILL_VERSIONS_PAGE_MAX, otherwise: SKILL_VERSIONS_PAGE_DEFAULT }),
    },
    answers: {
      200: {
        description: 'A page of versions.',
        shown: {
          schema: toAnsweredPage('SkillVersions', 'versions', VERSION),
          example: {
            versions: [
              {
                version: 2,
                madeAtMs: 1795219200000,
                by: 'admin',
                origin: 'sync',
                toolName: 'sg_weather',
              },
            ],
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await listVersions(ports, readSkillPlace(request), readPageQuery(request))),
  },
  {
    method: 'GET',
    path: '/skills/{source}/{skillId}/versions/{version}',
    operationId: 'showSkillVersion',
    tag: 'Skills',
    summary: 'Show a version of a skill',
    access: 'either',
    role: 'viewer',
    params: { ...PLACE_PARAMS, version: VERSION_NUMBER },
    query: { uid: OWNER },
    answers: {
      200: { description: 'The skill as it was.', shown: { schema: SKILL, example: SHOWN_SKILL } },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(
        200,
        await showVersion(ports, readSkillPlace(request), readVersionNumber(request, 'version')),
      ),
  },
  {
    method: 'GET',
    path: '/skills/{source}/{skillId}/versions/{version}/diff/{other}',
    operationId: 'diffSkillVersions',
    tag: 'Skills',
    summary: 'Compare two versions of a skill',
    access: 'either',
    role: 'viewer',
    params: { ...PLACE_PARAMS, version: VERSION_NUMBER, other: VERSION_NUMBER },
    query: { uid: OWNER },
    answers: {
      200: {
        description: 'What became different from the first to the second.',
        shown: {
          schema: DIFF,
          example: {
            from: 1,
            to: 2,
            differences: [{ pointer: '/credits_per_call', before: 0.5, after: 1 }],
            more: false,
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) => {
      const [from, to] = [
        readVersionNumber(request, 'version'),
        readVersionNumber(request, 'other'),
      ]
      return toAnswer(200, await diffVersions(ports, readSkillPlace(request), { from, to }))
    },
  },
  {
    method: 'POST',
    path: '/skills/{source}/{skillId}/rollback',
    operationId: 'rollbackSkill',
    tag: 'Skills',
    summary: 'Bring a version of a skill back',
    description:
      'Syncs the definition of that version, which becomes a new version. Brings back a deleted skill too.',
    access: 'either',
    role: 'publisher',
    before: (ports, _settings, request) => showSkill(ports, readSkillPlace(request)),
    params: PLACE_PARAMS,
    query: { uid: OWNER },
    body: { kind: 'json', schema: ROLLBACK, required: true, example: { version: 1 } },
    answers: {
      200: {
        description: 'The skill is as it was in that version.',
        shown: { schema: SYNCED_SKILL, example: toSyncedExample(false) },
      },
    },
    refuses: ['not_found', 'conflict', 'invalid_skill'],
    run: async (ports, settings, request) =>
      toAnswer(
        200,
        await rollbackSkill(ports, settings, readSkillPlace(request), {
          body: request.body,
          by: request.admin.name,
        }),
      ),
  },
]

function readVersionNumber({ params }: RoutedRequest, name: string): number {
  return Number(params[name])
}
