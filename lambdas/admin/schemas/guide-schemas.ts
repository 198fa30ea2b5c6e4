/** Schemas of the routes of guides, with their examples. */

import { GUIDE_ID_RULE } from '../../../core/flow/registry/guide-request.ts'
import { SET_GUIDES_MAX } from '../../../core/flow/registry/guide-sets.ts'
import { GUIDE_FILES_MAX, GUIDE_ID_CHARS_MAX } from '../../../core/guides/limits.ts'
import { GUIDE_ID_PATTERN } from '../../../core/guides/read-guide.ts'
import type { Schema } from '../route.ts'
import { AT_MS, COUNT, TEXT, toAnsweredObject, toSentObject } from './field-schemas.ts'

export const GUIDE_ID: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: GUIDE_ID_CHARS_MAX,
  pattern: GUIDE_ID_PATTERN,
  description: 'The name in the front matter of SKILL.md.',
  examples: ['weather-tools'],
  'x-rule': GUIDE_ID_RULE,
}

export const SENT_FILE = toSentObject(
  'GuideFile',
  {
    path: { ...TEXT, description: 'Relative, such as references/errors.md.' },
    text: { ...TEXT, description: 'The content of a text in UTF-8.' },
    base64: { ...TEXT, description: 'The content of any other file.' },
  },
  ['path'],
)
const SENT_FILES: Schema = {
  type: 'array',
  items: SENT_FILE,
  minItems: 1,
  maxItems: GUIDE_FILES_MAX,
  'x-rule': `must be a list of 1 to ${GUIDE_FILES_MAX} files with path and text or base64`,
}
export const SENT_GUIDE = toSentObject('GuideSent', { files: SENT_FILES }, ['files'])
export const SENT_GUIDES = toSentObject(
  'GuideSet',
  {
    guides: {
      type: 'array',
      items: toSentObject('GuideOfSet', { guideId: TEXT, files: SENT_FILES }, ['guideId', 'files']),
      maxItems: SET_GUIDES_MAX,
      'x-rule': `must be a list of at most ${SET_GUIDES_MAX} guides with guideId and files`,
    },
  },
  ['guides'],
)

export const GUIDE = toAnsweredObject(
  'Guide',
  {
    guideId: TEXT,
    version: { ...COUNT, description: '1 at first; each change adds 1.' },
    uri: { ...TEXT, description: 'By which agents read it.' },
    description: TEXT,
    groups: { type: 'array', items: TEXT, description: 'Who reads it; empty: everybody.' },
    set: { ...TEXT, description: 'The set that it belongs to.' },
    files: {
      type: 'array',
      items: toAnsweredObject('StoredGuideFile', { path: TEXT, bytes: COUNT, digest: TEXT }),
    },
    createdAtMs: AT_MS,
    updatedAtMs: AT_MS,
    by: { ...TEXT, description: 'The administrator who made this version.' },
  },
  ['set'],
)
export const PUSHED = toAnsweredObject('PushedGuide', {
  guide: GUIDE,
  changed: { type: 'boolean', description: 'False if the guide was the same before.' },
})

export const FILE_EXAMPLE = {
  path: 'SKILL.md',
  text: '---\nname: weather-tools\ndescription: When to use which weather tool.\n---\n\n<!-- skillgate:prices sg_* -->\n',
}
export const GUIDE_EXAMPLE = {
  guideId: 'weather-tools',
  version: 1,
  uri: 'skill://weather-tools/SKILL.md',
  description: 'When to use which weather tool.',
  groups: [],
  files: [
    {
      path: 'SKILL.md',
      bytes: 106,
      digest: 'sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
    },
  ],
  createdAtMs: 1795219200000,
  updatedAtMs: 1795219200000,
  by: 'admin',
}
export const PUSHED_EXAMPLE = { guide: GUIDE_EXAMPLE, changed: true }

export const GUIDE_SET_VIEW = toAnsweredObject('GuideSetPlan', {
  set: TEXT,
  added: { type: 'array', items: TEXT },
  changed: { type: 'array', items: TEXT },
  removed: { type: 'array', items: TEXT },
  unchanged: COUNT,
})
export const GUIDE_SET_EXAMPLE = {
  set: 'main',
  added: ['weather-tools'],
  changed: [],
  removed: [],
  unchanged: 0,
}
