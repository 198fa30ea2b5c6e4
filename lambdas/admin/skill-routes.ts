/** The admin routes of the registry: put (sync-route.ts), list, show and delete. */
import { ok } from '../../core/errors.ts'
import { deleteSkill, listSkills, showSkill } from '../../core/flow/registry/manage-skills.ts'
import { setSkillState } from '../../core/flow/registry/set-skill-state.ts'
import {
  SKILLS_PAGE_DEFAULT,
  SKILLS_PAGE_MAX,
  STATE_REASON_CHARS_MAX,
} from '../../core/skills/limits.ts'
import { SKILL_STATES, type SkillState } from '../../core/skills/read-state.ts'
import {
  AT_MS,
  answeredObject,
  answeredPage,
  COUNT,
  OWNER,
  pageQuery,
  SKILL_ID,
  SOURCE,
  sentObject,
  TEXT,
} from './field-schemas.ts'
import { answer, type Route, type RoutedRequest } from './route.ts'
import { SKILL_EXAMPLE, STORED_SKILL } from './skill-schemas.ts'
import { SYNC_ROUTE } from './sync-route.ts'

export const SKILL = answeredObject(
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
const STATE = sentObject(
  'SkillStateAsked',
  {
    state: {
      type: 'string',
      enum: SKILL_STATES,
      'x-rule': `must be one of ${SKILL_STATES.join(', ')}`,
    },
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: STATE_REASON_CHARS_MAX,
      pattern: '^[^\\p{Cc}]*$',
      allOf: [{ pattern: '\\S' }],
      description: 'Why it is disabled; agents read it.',
      'x-rule': `must be 1 to ${STATE_REASON_CHARS_MAX} printable characters`,
    },
  },
  ['state'],
)
const STATE_EXAMPLE = { state: 'disabled', reason: 'The API is down until Monday.' }
const PLACE = { source: SOURCE, skillId: SKILL_ID }

export const SKILL_ROUTES: readonly Route[] = [
  SYNC_ROUTE,
  {
    method: 'GET',
    path: '/skills',
    operationId: 'listSkills',
    tag: 'Skills',
    summary: 'List skills',
    description: 'By tier and id: private (with uid only), official, market; or one tier.',
    access: 'either',
    role: 'viewer',
    query: {
      source: SOURCE,
      uid: OWNER,
      ...pageQuery({ max: SKILLS_PAGE_MAX, otherwise: SKILLS_PAGE_DEFAULT }),
    },
    answers: {
      200: {
        description: 'A page of skills; shorter than the limit when they are large.',
        shown: {
          schema: answeredPage('SkillPage', 'skills', SKILL),
          example: { skills: [SHOWN_SKILL] },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, settings, { query }) =>
      answer(200, await listSkills(ports, settings, query)),
  },
  {
    method: 'GET',
    path: '/skills/{source}/{skillId}',
    operationId: 'showSkill',
    tag: 'Skills',
    summary: 'Show a skill',
    access: 'either',
    role: 'viewer',
    params: PLACE,
    query: { uid: OWNER },
    answers: { 200: { description: 'The skill.', shown: { schema: SKILL, example: SHOWN_SKILL } } },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      answer(200, await showSkill(ports, skillPlaceOf(request))),
  },
  {
    method: 'PATCH',
    path: '/skills/{source}/{skillId}',
    operationId: 'setSkillState',
    role: 'publisher',
    before: (ports, _settings, request) => showSkill(ports, skillPlaceOf(request)),
    tag: 'Skills',
    summary: 'List, hide or disable a skill',
    description:
      'A disabled skill is in no list, and its calls are refused free of charge, with the reason.',
    access: 'either',
    params: PLACE,
    query: { uid: OWNER },
    body: { kind: 'json', schema: STATE, required: true, example: STATE_EXAMPLE },
    answers: { 200: { description: 'The skill.', shown: { schema: SKILL, example: SHOWN_SKILL } } },
    refuses: ['not_found', 'conflict'],
    run: async (ports, settings, request) => {
      const { reason, state } = request.body as { state: SkillState; reason?: string }
      const change = { state, by: request.admin.name, ...(reason === undefined ? {} : { reason }) }
      return answer(200, await setSkillState(ports, settings, skillPlaceOf(request), change))
    },
  },
  {
    method: 'DELETE',
    path: '/skills/{source}/{skillId}',
    operationId: 'deleteSkill',
    tag: 'Skills',
    summary: 'Delete a skill',
    description: 'Calls may find it for up to 30 seconds; its tool name stays claimed.',
    access: 'either',
    role: 'publisher',
    params: PLACE,
    query: { uid: OWNER },
    answers: { 204: { description: 'Deleted, and no longer listed.' } },
    refuses: ['not_found', 'conflict'],
    before: (ports, _settings, request) => showSkill(ports, skillPlaceOf(request)),
    run: async (ports, settings, request) => {
      const deleted = await deleteSkill(ports, settings, skillPlaceOf(request))
      return answer(204, deleted.ok ? ok(undefined) : deleted)
    },
  },
]

export function skillPlaceOf({ params, query }: RoutedRequest) {
  const { skillId = '', source = '' } = params
  return { source, skillId, uid: query['uid'] }
}
