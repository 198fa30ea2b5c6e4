/** Resources, prompts, and the extension that serves guides. */
import { ALL, type Area, LEGACY, MODERN, section } from '../requirement.ts'

export const RESOURCES: Area = {
  title: 'Resources, prompts and guides',
  about:
    'What agents read beside tools. Guides are resources, prompts, and entries of the extension io.modelcontextprotocol/skills.',
  rows: [
    ...section('server/resources, Capabilities', ALL, {
      MUST: {
        'RES-1': '`resources` is declared, without `listChanged` and `subscribe`, and answered.',
      },
    }),
    ...section('server/resources, Error Handling', MODERN, {
      SHOULD: {
        'RES-2': 'An unknown URI is -32602 with the URI in `data`, and never an empty result.',
      },
    }),
    ...section('server/resources, Error Handling', LEGACY, {
      SHOULD: { 'RES-3': 'An unknown URI is -32002 with the URI in `data`.' },
    }),
    ...section('server/resources, Security Considerations', ALL, {
      MUST: {
        'RES-4':
          'URIs are compared with stored ones as they are; a traversal names nothing, and what another user may read is unknown.',
      },
      SHOULD: { 'RES-5': 'Groups decide who reads a guide, as they do for skills.' },
    }),
    ...section('server/utilities/pagination', ALL, {
      SHOULD: { 'RES-6': 'A cursor that no list of resources gave is -32602.' },
    }),
    ...section('server/utilities/caching', MODERN, {
      MUST: {
        'RES-7':
          'Lists and reads have `ttlMs` and `cacheScope` (private); the answer to `prompts/get` has neither.',
      },
    }),
    ...section('server/prompts, Capabilities', ALL, {
      MUST: { 'PROMPT-1': '`prompts` is declared, without `listChanged`, and answered.' },
    }),
    ...section('server/prompts, Error Handling', ALL, {
      SHOULD: { 'PROMPT-2': 'An unknown prompt, or arguments that are not texts, are -32602.' },
    }),
    ...section('ext-skills, Capabilities', ALL, {
      MUST: {
        'GUIDE-1':
          'The extension is declared with `directoryRead`, beside `resources`; its methods are served.',
      },
    }),
    ...section('ext-skills, Skill entries', ALL, {
      MUST: {
        'GUIDE-2':
          'An entry has the front matter and all files, each with sha256 and bytes of what a read answers.',
        'GUIDE-3':
          'The name in the front matter is the last segment of the path; a push of another name is refused.',
      },
      SHOULD: {
        'GUIDE-4': 'A guide has 100 files and 1 MiB at most, less than hosts must take.',
      },
    }),
    ...section('ext-skills, skills/get', ALL, {
      MUST: { 'GUIDE-5': 'Each guide that is served is answered, and any other URI is -32602.' },
    }),
    ...section('ext-skills, resources/directory/read', ALL, {
      MUST: {
        'GUIDE-6':
          'A folder answers its direct children, folders as `inode/directory`; anything else is -32602.',
      },
    }),
  ],
}
