/** The admin routes of the registry: put a skill, list, show and delete. */
import { ok } from '../../core/errors.ts'
import { deleteSkill, listSkills, showSkill } from '../../core/flow/registry/manage-skills.ts'
import { syncSkill } from '../../core/flow/registry/sync-skill.ts'
import type { Settings } from '../../core/settings.ts'
import { SKILLS_PAGE_DEFAULT, SKILLS_PAGE_MAX } from '../../core/skills/limits.ts'
import { SKILL_SOURCES } from '../../core/skills/skill.ts'
import {
  AT_MS,
  answeredObject,
  answeredPage,
  COUNT,
  pageQuery,
  SKILL_ID,
  SOURCE,
  TEXT,
  UID,
} from './field-schemas.ts'
import {
  type AdminPorts,
  answer,
  type Route,
  type RouteAnswer,
  type RoutedRequest,
} from './route.ts'
import { MARKDOWN_EXAMPLE, SENT_SKILL, SKILL_EXAMPLE, STORED_SKILL } from './skill-schemas.ts'

const OWNER = { ...UID, description: 'Owner; required for a private skill.' }

const SYNCED = answeredObject('SyncedSkill', {
  skill: STORED_SKILL,
  toolName: { ...TEXT, description: 'Name by which agents call it.' },
  created: { type: 'boolean' },
  listed: { type: 'boolean', description: 'Whether agents see it in their list.' },
  warnings: { type: 'array', items: TEXT },
})

const SKILL = answeredObject(
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
const SHOWN_SKILL = {
  skill: SKILL_EXAMPLE,
  source: 'official',
  skillId: 'sg_weather',
  toolName: 'sg_weather',
  createdAtMs: 1795219200000,
  updatedAtMs: 1795219200000,
  version: 1,
}
const PLACE = { source: SOURCE, skillId: SKILL_ID }

export const SKILL_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/sync_skill',
    operationId: 'syncSkill',
    tag: 'Skills',
    summary: 'Put a skill',
    description:
      'Unified JSON when the text begins with `{`, Markdown otherwise, whatever the content ' +
      'type. Repeating a request changes nothing; a refused one leaves the old skill in place.',
    access: 'either',
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
    },
    body: {
      kind: 'text',
      content: {
        'application/json': { schema: SENT_SKILL, example: SKILL_EXAMPLE },
        'text/markdown': {
          schema: { type: 'string', description: 'Markdown.' },
          example: MARKDOWN_EXAMPLE,
        },
      },
    },
    answers: {
      200: { description: 'The skill existed and is now as sent.', shown: shownSynced(false) },
      201: { description: 'New.', shown: shownSynced(true) },
    },
    refuses: ['not_found', 'conflict', 'invalid_skill', 'invalid_arguments'],
    run: runSyncSkill,
  },
  {
    method: 'GET',
    path: '/skills',
    operationId: 'listSkills',
    tag: 'Skills',
    summary: 'List skills',
    description: 'By tier and id: private (with uid only), official, market; or one tier.',
    access: 'either',
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
    params: PLACE,
    query: { uid: OWNER },
    answers: { 200: { description: 'The skill.', shown: { schema: SKILL, example: SHOWN_SKILL } } },
    refuses: ['not_found'],
    run: async (ports, _settings, request) => answer(200, await showSkill(ports, placeOf(request))),
  },
  {
    method: 'DELETE',
    path: '/skills/{source}/{skillId}',
    operationId: 'deleteSkill',
    tag: 'Skills',
    summary: 'Delete a skill',
    description: 'Calls may find it for up to 30 seconds; its tool name stays claimed.',
    access: 'either',
    params: PLACE,
    query: { uid: OWNER },
    answers: { 204: { description: 'Deleted, and no longer listed.' } },
    refuses: ['not_found', 'conflict'],
    run: async (ports, settings, request) => {
      const deleted = await deleteSkill(ports, settings, placeOf(request))
      return answer(204, deleted.ok ? ok(undefined) : deleted)
    },
  },
]

function placeOf({ params, query }: RoutedRequest) {
  const { skillId = '', source = '' } = params
  return { source, skillId, uid: query['uid'] }
}

function shownSynced(created: boolean) {
  return {
    schema: SYNCED,
    example: { skill: SKILL_EXAMPLE, toolName: 'sg_weather', created, listed: true, warnings: [] },
  }
}

async function runSyncSkill(
  ports: AdminPorts,
  settings: Settings,
  { query, text }: RoutedRequest,
): Promise<RouteAnswer> {
  const synced = await syncSkill(ports, settings, {
    text,
    source: SKILL_SOURCES.find((one) => one === query['source']),
    uid: query['uid'],
    list: query['list'] === 'later' ? 'later' : 'now',
  })
  return answer(synced.ok && synced.value.created ? 201 : 200, synced)
}
