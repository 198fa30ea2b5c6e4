/** tools/list: what an entry is, and how the list comes. */
import {
  ALL,
  type Area,
  LEGACY,
  LEGACY_SINCE_2025_06,
  MODERN,
  SINCE_2025_06,
  SINCE_2025_11,
  SSE_ONLY,
  STREAMABLE,
  STREAMABLE_LEGACY,
  section,
} from '../requirement.ts'

export const TOOL_LIST: Area = {
  title: 'tools/list',
  about: 'Tools are kept in their richest form and listed in the shapes of the revision that asks.',
  rows: [
    ...section('server/tools, Capabilities', ALL, {
      MUST: { 'LIST-1': 'The tools capability is declared, and `tools/list` is served.' },
    }),
    ...section('server/tools, List changed', STREAMABLE_LEGACY, {
      MAY: { 'LIST-2': '`listChanged` is false, since no stream could carry the notification.' },
    }),
    ...section('server/tools, List changed', SSE_ONLY, {
      SHOULD: { 'LIST-3': 'A change of the list is told on open streams within 6 s.' },
    }),
    ...section('server/tools, Tool', ALL, {
      MUST: {
        'LIST-4':
          'Each tool has a name and an `inputSchema` of type object. An entry that has not is left out, and the list stays whole.',
        'LIST-5': 'No optional member is null: an absent one is left out.',
      },
    }),
    ...section('server/tools, Tool names', SINCE_2025_11, {
      SHOULD: {
        'LIST-6':
          'Names have 1 to 64 characters of A-Z a-z 0-9 _ -, fewer than MCP allows, since model APIs take no more.',
        'LIST-7': 'No two tools of a list have one name.',
      },
    }),
    ...section('server/tools, Tool names', MODERN, {
      SHOULD: {
        'LIST-8':
          'Names that would collide are told apart by a prefix or a hash, and each calls its own skill.',
      },
    }),
    ...section('server/utilities/pagination', ALL, {
      SHOULD: {
        'LIST-9':
          'Pages have stable cursors: with `nextCursor` every tool comes once, and the last page has none.',
        'LIST-10': 'A cursor that is not ours is -32602.',
      },
    }),
    ...section('server/tools, Listing tools', MODERN, {
      MUST: {
        'LIST-11': 'The list depends on the key alone, not on a connection or on requests before.',
      },
      SHOULD: { 'LIST-12': 'The order of the list is the same each time.' },
    }),
    ...section('schema, Tool', SSE_ONLY, {
      MAY: { 'LIST-13': 'An entry has name, description and `inputSchema` alone.' },
    }),
    ...section('schema, ToolAnnotations', STREAMABLE, {
      MAY: { 'LIST-14': 'An entry has hints by its method and tags: what GETs is read-only.' },
    }),
    ...section('schema, Tool', SINCE_2025_06, {
      MAY: {
        'LIST-15':
          'An entry has its title, and price, refund rule and usual time under keys of our own in `_meta`.',
      },
    }),
    ...section('schema, Icons', SINCE_2025_11, {
      MAY: { 'LIST-16': 'An entry whose skill has an emoji has it as an icon, a data: URI.' },
    }),
    ...section('schema, Tool', LEGACY_SINCE_2025_06, {
      MUST: { 'LIST-17': 'An `outputSchema` is listed only where its root is an object.' },
    }),
    ...section('schema, Tool', LEGACY, {
      MAY: {
        'LIST-18':
          'A property schema that is true or false is written as an object, which clients of that era need.',
      },
    }),
    ...section('basic, JSON Schema usage', SINCE_2025_11, {
      MUST: {
        'SCHEMA-1':
          'Schemas without `$schema` are JSON Schema 2020-12: its keywords are validated and listed as they are.',
        'SCHEMA-2': 'A schema that is not valid is refused when its skill is synced.',
      },
    }),
    ...section('basic, JSON Schema $ref resolution', MODERN, {
      MUST: { 'SCHEMA-3': 'No reference is fetched from the network.' },
      SHOULD: {
        'SCHEMA-4':
          'A schema whose reference leads nowhere is refused, not taken as one that allows all.',
        'SCHEMA-5': 'Depth, size, references and patterns of schemas are limited.',
      },
    }),
  ],
}
