/**
 * The official client's reader of guides, `SkillsClient`, which verifies digest, size and front
 * matter of each file: against a twin with the guide of the conformance suite, in both eras. It is
 * loaded from .cache/clients, so the few members in use are typed here.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FIXTURES, startTwinGateway } from '../conformance/gateway.ts'
import { GUIDE, GUIDE_ID } from '../conformance/guide.ts'

type Entry = { readonly uri: string; readonly resources: readonly { readonly uri: string }[] }
type GuidesClient = {
  readonly supported: boolean
  readonly directoryRead: boolean
  list(): Promise<{ readonly skills: readonly Entry[] }>
  get(uri: string): Promise<{ readonly skill: Entry }>
  read(skill: Entry, uri: string): Promise<{ readonly bytes: Uint8Array }>
  readDirectory(uri: string): Promise<{ readonly resources: readonly { readonly uri: string }[] }>
}
type SdkClient = { connect(transport: object): Promise<void>; close(): Promise<void> }

const MODES = ['auto', 'legacy'] as const

/** Returns the faults, one line each; an empty list: all files were read and verified. */
export async function checkGuides(packages: string): Promise<readonly string[]> {
  const gateway = await startTwinGateway(FIXTURES)
  try {
    const faults: string[] = []
    for (const mode of MODES) {
      try {
        await readGuides(packages, mode, gateway)
      } catch (cause) {
        faults.push(`guides, ${mode}: ${cause instanceof Error ? cause.message : String(cause)}`)
      }
    }
    return faults
  } finally {
    await gateway.stop()
  }
}

async function readGuides(
  packages: string,
  mode: (typeof MODES)[number],
  { key, url }: { readonly key: string; readonly url: string },
): Promise<void> {
  const { Client, SkillsClient, StreamableHTTPClientTransport } = await load(packages)
  const client = new Client({ name: 'guides', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  const guides = new SkillsClient(client)
  if (!guides.supported || !guides.directoryRead) throw new Error('the extension is not declared')
  const [listed] = (await guides.list()).skills
  if (listed === undefined) throw new Error('no guide is listed')
  const { skill } = await guides.get(listed.uri)
  // Each read throws for bytes that differ from the entry.
  for (const { uri } of skill.resources) await guides.read(skill, uri)
  const found = skill.resources.length
  if (found !== GUIDE.files.length) throw new Error(`${found} files instead of those of the guide`)
  const { resources } = await guides.readDirectory(`skill://${GUIDE_ID}`)
  if (resources.length !== 3) throw new Error(`${resources.length} entries of the folder`)
  await client.close()
}

/** Loads the used part of `@modelcontextprotocol/client` 2.4.0. */
async function load(packages: string): Promise<{
  readonly Client: new (info: object, options: object) => SdkClient
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => object
  readonly SkillsClient: new (client: SdkClient) => GuidesClient
}> {
  const dist = join(packages, 'node_modules', '@modelcontextprotocol', 'client', 'dist')
  const main = await import(pathToFileURL(join(dist, 'index.mjs')).href)
  const skills = await import(pathToFileURL(join(dist, 'ext', 'skills', 'index.mjs')).href)
  return { ...main, ...skills }
}
