/** Makes skills of what is there: an OpenAPI document, an MCP server, or Lambda functions. */
import { toCommand } from '../parts/command.ts'
import { Choice } from '../parts/form.tsx'
import { setQuery } from '../shell/route.ts'
import { FromFunctions } from './import-functions.tsx'
import { FromOpenApi } from './import-openapi.tsx'
import { FromServer } from './import-server.tsx'
import type { Views } from './page.ts'

const KINDS = [
  ['openapi', 'OpenAPI document', FromOpenApi],
  ['mcp', 'MCP server', FromServer],
  ['lambda', 'Lambda functions', FromFunctions],
] as const

export const VIEWS: Views = {
  import: {
    command: ({ query: { from = 'openapi' } }) =>
      from === 'mcp'
        ? toCommand(['upstreams', 'put', 'ID'], { url: 'URL' })
        : toCommand(['import', from, 'plan', '--help']),
    render: ({ query: { from } }) => {
      const [kind, , From] = KINDS.find(([name]) => name === from) ?? KINDS[0]
      return (
        <>
          <Choice
            label="Make skills of"
            value={kind}
            options={KINDS.map(([name, label]) => [name, label])}
            onChange={(name) => setQuery({ from: name })}
          />
          <From key={kind} />
        </>
      )
    },
  },
}
