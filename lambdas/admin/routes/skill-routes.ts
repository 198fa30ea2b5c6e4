/**
 * The admin routes of the registry: store (sync-route.ts), list, show, change and delete skills.
 */
import { ok } from '../../../core/errors.ts'
import { changeSkill, type SkillChange } from '../../../core/flow/registry/change-skill.ts'
import { deleteSkill, listSkills, showSkill } from '../../../core/flow/registry/manage-skills.ts'
import { PRICE_RULE } from '../../../core/skills/definition/read-price.ts'
import { SKILL_STATES } from '../../../core/skills/definition/read-state.ts'
import {
  PRICE_CREDITS_MAX,
  SKILLS_PAGE_DEFAULT,
  SKILLS_PAGE_MAX,
  SKILLS_READ_MAX,
  SKILLS_SEARCH_CHARS_MAX,
  STATE_REASON_CHARS_MAX,
} from '../../../core/skills/limits.ts'
import { type Route, type RoutedRequest, type Schema, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  GROUP_NAME,
  OWNER,
  SKILL_GROUPS,
  SKILL_ID,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  toSentObject,
} from '../schemas/field-schemas.ts'
import { SKILL_EXAMPLE, STORED_SKILL } from '../schemas/skill-schemas.ts'
import { SYNC_ROUTE } from './sync-route.ts'

const STATE: Schema = {
  type: 'string',
  enum: SKILL_STATES,
  'x-rule': `must be one of ${SKILL_STATES.join(', ')}`,
}
const SEARCH: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: SKILLS_SEARCH_CHARS_MAX,
  pattern: '\\S',
  description:
    'Words that are all in the id, the name, the description or the tags; case does not count. ' +
    'A shared skill that is disabled or unlisted is found by the beginning of its id.',
  'x-rule': `must be 1 to ${SKILLS_SEARCH_CHARS_MAX} characters with a word in them`,
}
const REASON: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: STATE_REASON_CHARS_MAX,
  pattern: '^[^\\p{Cc}]*$',
  allOf: [{ pattern: '\\S' }],
  description: 'Why it is disabled; agents read it. Goes with a state.',
  'x-rule': `must be 1 to ${STATE_REASON_CHARS_MAX} printable characters`,
}
const CREDITS: Schema = {
  type: 'number',
  minimum: 0,
  maximum: PRICE_CREDITS_MAX,
  description: `The price of a call: ${PRICE_RULE}.`,
  'x-rule': `must be ${PRICE_RULE}`,
}
const EXPECTED_VERSION: Schema = {
  ...COUNT,
  minimum: 1,
  description: 'The version that you saw; the change is refused if the skill has another one.',
  'x-rule': 'must be the number of a version, such as 3',
}

const SKILL_CHANGE: Schema = {
  ...toSentObject(
    'SkillChangeAsked',
    {
      state: STATE,
      reason: REASON,
      credits: CREDITS,
      groups: SKILL_GROUPS,
      expectedVersion: EXPECTED_VERSION,
    },
    [],
  ),
  anyOf: [
    { required: ['state'] },
    { required: ['credits'], not: { required: ['reason'] } },
    { required: ['groups'], not: { required: ['reason'] } },
  ],
  'x-rule': 'must have state, credits or groups; reason goes with a state',
}

export const SKILL = toAnsweredObject(
  'StoredSkill',
  {
    skill: STORED_SKILL,
    source: SOURCE,
    skillId: TEXT,
    uid: { ...TEXT, description: 'Owner of a private skill.' },
    toolName: { ...TEXT, description: 'Name by which agents call it.' },
    createdAtMs: AT_MS,
    updatedAtMs: AT_MS,
    version: { ...COUNT, description: '1 at first; each change adds 1.' },
  },
  ['uid'],
)
export const SHOWN_SKILL = {
  skill: SKILL_EXAMPLE,
  source: 'official',
  skillId: 'sg_weather',
  toolName: 'sg_weather',
  createdAtMs: 1795219200000,
  updatedAtMs: 1795219200000,
  version: 1,
}
const CHANGE_EXAMPLE = { credits: 2.5, groups: ['finance'], expectedVersion: 1 }
const PLACE_PARAMS = { source: SOURCE, skillId: SKILL_ID }

export const SKILL_ROUTES: readonly Route[] = [
  SYNC_ROUTE,
  {
    method: 'GET',
    path: '/skills',
    operationId: 'listSkills',
    tag: 'Skills',
    summary: 'List skills',
    description:
      'By tier and id: private (with uid only), official, market; or one tier. ' +
      `A request with a filter reads at most ${SKILLS_READ_MAX} skills, so its page may have fewer than the limit, or none, and a cursor.`,
    access: 'either',
    role: 'viewer',
    query: {
      source: SOURCE,
      uid: OWNER,
      search: SEARCH,
      state: { ...STATE, description: 'Only skills in this state.' },
      group: { ...GROUP_NAME, description: 'Only skills that name this group; case counts.' },
      ...toPageQuery({ max: SKILLS_PAGE_MAX, otherwise: SKILLS_PAGE_DEFAULT }),
    },
    answers: {
      200: {
        description: 'A page of skills; shorter than the limit when they are large.',
        shown: {
          schema: toAnsweredPage('SkillPage', 'skills', SKILL),
          example: { skills: [SHOWN_SKILL] },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, settings, { query }) =>
      toAnswer(200, await listSkills(ports, settings, query)),
  },
  {
    method: 'GET',
    path: '/skills/{source}/{skillId}',
    operationId: 'showSkill',
    tag: 'Skills',
    summary: 'Show a skill',
    access: 'either',
    role: 'viewer',
    params: PLACE_PARAMS,
    query: { uid: OWNER },
    answers: { 200: { description: 'The skill.', shown: { schema: SKILL, example: SHOWN_SKILL } } },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await showSkill(ports, readSkillPlace(request))),
  },
  {
    method: 'PATCH',
    path: '/skills/{source}/{skillId}',
    operationId: 'changeSkill',
    role: 'publisher',
    before: (ports, _settings, request) => showSkill(ports, readSkillPlace(request)),
    tag: 'Skills',
    summary: 'Change the state, price or groups of a skill',
    description:
      'A disabled skill is in no list, and its calls are refused free of charge, with the reason. ' +
      'A call that has begun costs what it cost when it began.',
    access: 'either',
    params: PLACE_PARAMS,
    query: { uid: OWNER },
    body: { kind: 'json', schema: SKILL_CHANGE, required: true, example: CHANGE_EXAMPLE },
    answers: { 200: { description: 'The skill.', shown: { schema: SKILL, example: SHOWN_SKILL } } },
    refuses: ['not_found', 'conflict', 'invalid_arguments'],
    run: async (ports, settings, request) => {
      // The body was checked against its schema before.
      const change = { ...(request.body as SkillChange), by: request.admin.name }
      return toAnswer(200, await changeSkill(ports, settings, readSkillPlace(request), change))
    },
  },
  {
    method: 'DELETE',
    path: '/skills/{source}/{skillId}',
    operationId: 'deleteSkill',
    tag: 'Skills',
    summary: 'Delete a skill',
    description: 'Calls that begin a second later are refused. Its tool name stays claimed.',
    access: 'either',
    role: 'publisher',
    params: PLACE_PARAMS,
    query: { uid: OWNER },
    answers: { 204: { description: 'Deleted, and no longer listed.' } },
    refuses: ['not_found', 'conflict'],
    before: (ports, _settings, request) => showSkill(ports, readSkillPlace(request)),
    run: async (ports, settings, request) => {
      const deleted = await deleteSkill(ports, settings, readSkillPlace(request))
      return toAnswer(204, deleted.ok ? ok(undefined) : deleted)
    },
  },
]

/** Reads which skill a request names: its tier, its id, and the owner of a private skill. */
export function readSkillPlace({ params, query }: RoutedRequest) {
  const { skillId = '', source = '' } = params
  return { source, skillId, uid: query['uid'] }
}
