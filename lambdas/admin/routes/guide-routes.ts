/**
 * The admin routes of guides: push, list, show, delete and roll back one, and apply the guides of a
 * set (docs/guides.md).
 */

import type { SentGuide } from '../../../core/flow/registry/guide-request.ts'
import { applyGuides, planGuides } from '../../../core/flow/registry/guide-sets.ts'
import {
  deleteGuide,
  GUIDES_LISTED_DEFAULT,
  GUIDES_LISTED_MAX,
  pushGuide,
  rollbackGuide,
  showGuide,
  showGuides,
  showGuideVersions,
} from '../../../core/flow/registry/manage-guides.ts'
import {
  GUIDE_BYTES_MAX,
  GUIDE_FILES_MAX,
  GUIDE_VERSIONS_KEPT,
} from '../../../core/guides/limits.ts'
import type { SentGuideFile } from '../../../core/guides/read-guide.ts'
import { isJsonObject, type Json } from '../../../core/json/json.ts'
import { SET_BYTES_MAX } from '../../../core/skills/set-limits.ts'
import { type Route, type RoutedRequest, readPageQuery, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  toSentObject,
} from '../schemas/field-schemas.ts'
import {
  FILE_EXAMPLE,
  GUIDE,
  GUIDE_EXAMPLE,
  GUIDE_ID,
  GUIDE_SET_EXAMPLE,
  GUIDE_SET_VIEW,
  PUSHED,
  PUSHED_EXAMPLE,
  SENT_FILE,
  SENT_GUIDE,
  SENT_GUIDES,
} from '../schemas/guide-schemas.ts'
import { GUIDE_SET_QUERY, SET_DEFAULT } from '../schemas/set-schemas.ts'

const PARAMS = { guideId: GUIDE_ID }

const OF_SET = {
  method: 'POST',
  tag: 'Guides',
  access: 'either',
  query: GUIDE_SET_QUERY,
  body: {
    kind: 'json',
    schema: SENT_GUIDES,
    required: true,
    bytesMax: SET_BYTES_MAX,
    example: { guides: [{ guideId: 'weather-tools', files: [FILE_EXAMPLE] }] },
  },
  refuses: ['conflict', 'invalid_arguments'],
} as const satisfies Partial<Route>

export const GUIDE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/guides',
    operationId: 'listGuides',
    tag: 'Guides',
    summary: 'List guides',
    access: 'either',
    role: 'viewer',
    query: toPageQuery({ max: GUIDES_LISTED_MAX, otherwise: GUIDES_LISTED_DEFAULT }),
    answers: {
      200: {
        description: 'A page of guides, by id.',
        shown: {
          schema: toAnsweredPage('GuidePage', 'guides', GUIDE),
          example: { guides: [GUIDE_EXAMPLE] },
        },
      },
    },
    refuses: [],
    run: async (ports, _settings, request) =>
      toAnswer(200, await showGuides(ports, readPageQuery(request))),
  },
  {
    method: 'PUT',
    path: '/guides/{guideId}',
    operationId: 'pushGuide',
    tag: 'Guides',
    summary: 'Push a guide',
    description: `Replaces all of its files: ${GUIDE_FILES_MAX} at most, and ${GUIDE_BYTES_MAX} bytes in all. The same files again change nothing.`,
    access: 'either',
    role: 'publisher',
    before: (ports, _settings, request) => showGuide(ports, readGuideId(request)),
    params: PARAMS,
    body: {
      kind: 'json',
      schema: SENT_GUIDE,
      required: true,
      example: { files: [FILE_EXAMPLE] },
    },
    answers: {
      200: {
        description: 'The guide is stored.',
        shown: { schema: PUSHED, example: PUSHED_EXAMPLE },
      },
    },
    refuses: ['not_found', 'conflict', 'invalid_arguments'],
    run: async (ports, _settings, request) => {
      const sent = { guideId: readGuideId(request), files: readFiles(request.body) }
      return toAnswer(200, await pushGuide(ports, sent, request.admin.name))
    },
  },
  {
    method: 'GET',
    path: '/guides/{guideId}',
    operationId: 'showGuide',
    tag: 'Guides',
    summary: 'Show a guide with its files',
    access: 'either',
    role: 'viewer',
    params: PARAMS,
    answers: {
      200: {
        description: 'The guide, and its files as a push takes them.',
        shown: {
          schema: toAnsweredObject('ShownGuide', {
            guide: GUIDE,
            files: { type: 'array', items: SENT_FILE },
          }),
          example: { guide: GUIDE_EXAMPLE, files: [FILE_EXAMPLE] },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await showGuide(ports, readGuideId(request))),
  },
  {
    method: 'DELETE',
    path: '/guides/{guideId}',
    operationId: 'deleteGuide',
    tag: 'Guides',
    summary: 'Delete a guide',
    description: 'Its versions stay, so a rollback brings it back.',
    access: 'either',
    role: 'publisher',
    before: (ports, _settings, request) => showGuide(ports, readGuideId(request)),
    params: PARAMS,
    answers: {
      200: {
        description: 'No agent reads it any more.',
        shown: {
          schema: toAnsweredObject('DeletedGuide', { deleted: { const: true } }),
          example: { deleted: true },
        },
      },
    },
    refuses: ['not_found', 'conflict'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await deleteGuide(ports, readGuideId(request))),
  },
  {
    method: 'GET',
    path: '/guides/{guideId}/versions',
    operationId: 'listGuideVersions',
    tag: 'Guides',
    summary: 'List the versions of a guide',
    description: `Newest first; the last ${GUIDE_VERSIONS_KEPT} are kept, also of a deleted guide.`,
    access: 'either',
    role: 'viewer',
    params: PARAMS,
    answers: {
      200: {
        description: 'All versions that are kept.',
        shown: {
          schema: toAnsweredObject('GuideVersions', {
            versions: {
              type: 'array',
              items: toAnsweredObject('GuideVersion', {
                version: COUNT,
                madeAtMs: AT_MS,
                by: TEXT,
                files: COUNT,
                bytes: COUNT,
              }),
            },
          }),
          example: {
            versions: [{ version: 1, madeAtMs: 1795219200000, by: 'admin', files: 1, bytes: 106 }],
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await showGuideVersions(ports, readGuideId(request))),
  },
  {
    method: 'POST',
    path: '/guides/{guideId}/rollback',
    operationId: 'rollbackGuide',
    tag: 'Guides',
    summary: 'Bring a version of a guide back',
    description: 'It becomes a new version. Brings back a deleted guide too.',
    access: 'either',
    role: 'publisher',
    before: (ports, _settings, request) => showGuide(ports, readGuideId(request)),
    params: PARAMS,
    body: {
      kind: 'json',
      schema: toSentObject(
        'GuideRollback',
        {
          version: { ...COUNT, minimum: 1, 'x-rule': 'must be the number of a version, such as 3' },
        },
        ['version'],
      ),
      required: true,
      example: { version: 1 },
    },
    answers: {
      200: {
        description: 'The guide is as it was in that version.',
        shown: { schema: PUSHED, example: PUSHED_EXAMPLE },
      },
    },
    refuses: ['not_found', 'conflict'],
    run: async (ports, _settings, request) => {
      const version = Number(readMember(request.body, 'version'))
      const terms = { guideId: readGuideId(request), version, by: request.admin.name }
      return toAnswer(200, await rollbackGuide(ports, terms))
    },
  },
  {
    ...OF_SET,
    path: '/guides:plan',
    operationId: 'planGuides',
    role: 'viewer',
    reads: 'recorded',
    summary: 'Plan the guides of a set',
    description: 'What an apply would change. Writes nothing.',
    answers: {
      200: {
        description: 'The plan.',
        shown: { schema: GUIDE_SET_VIEW, example: GUIDE_SET_EXAMPLE },
      },
    },
    run: async (ports, _settings, request) =>
      toAnswer(200, await planGuides(ports, readGuideSet(request))),
  },
  {
    ...OF_SET,
    path: '/guides:apply',
    operationId: 'applyGuides',
    role: 'publisher',
    summary: 'Apply the guides of a set',
    description:
      'A guide that cannot be taken keeps all out. Sent again, it completes what an interrupted request left.',
    answers: {
      200: {
        description: 'What was changed.',
        shown: { schema: GUIDE_SET_VIEW, example: GUIDE_SET_EXAMPLE },
      },
    },
    run: async (ports, _settings, request) =>
      toAnswer(200, await applyGuides(ports, readGuideSet(request), request.admin.name)),
  },
]

function readGuideId({ params }: RoutedRequest): string {
  return params['guideId'] ?? ''
}

function readGuideSet({ body, query }: RoutedRequest) {
  const sent = readMember(body, 'guides')
  const guides: readonly SentGuide[] = (Array.isArray(sent) ? sent : []).map((one) => ({
    guideId: readText(one, 'guideId') ?? '',
    files: readFiles(one),
  }))
  return { set: query['set'] ?? SET_DEFAULT, prune: query['prune'] === 'true', guides }
}

/** Reads files that fit the schema. */
function readFiles(body: Json): readonly SentGuideFile[] {
  const files = readMember(body, 'files')
  return (Array.isArray(files) ? files : []).map((file) => ({
    path: readText(file, 'path') ?? '',
    text: readText(file, 'text'),
    base64: readText(file, 'base64'),
  }))
}

function readText(of: Json, name: string): string | undefined {
  const value = readMember(of, name)
  return typeof value === 'string' ? value : undefined
}

function readMember(of: Json, name: string): Json | undefined {
  return isJsonObject(of) ? of[name] : undefined
}
