/** All pages, in the order of the navigation. A browser fetches the script of a page when it opens. */
import type { AdminRole } from '../../core/access/admin-role.ts'
import { isCataloguePublished } from '../parts/catalogue-link.tsx'
import type { Route } from '../shell/route.ts'
import type { Person } from '../shell/session.ts'
import type { Page, PageProps } from './page.ts'

/** The first page of users. */
const OWN_PAGE = 'me'

type Row = readonly [path: string, title: string, load: Page['load'], role?: AdminRole]

const skills = () => import('./skills.tsx')
const skillEditor = () => import('./skill-editor.tsx')
const upstreams = () => import('./upstreams.tsx')
const users = () => import('./users.tsx')
const calls = () => import('./calls.tsx')
const statements = () => import('./statements.tsx')
const access = () => import('./me/access.tsx')
const money = () => import('./me/money.tsx')
const ownCalls = () => import('./me/calls.tsx')
const tools = () => import('./me/tools.tsx')
const welcome = () => import('./welcome.tsx')

const OF_ADMINISTRATORS: readonly Row[] = [
  ['', 'Overview', () => import('./overview.tsx')],
  ['skills', 'Skills', skills],
  ['skills-new', 'New skill', skillEditor, 'publisher'],
  ['skills/{source}/{skillId}', 'Skill', skills],
  ['skills/{source}/{skillId}/edit', 'Edit skill', skillEditor, 'publisher'],
  ['skills/{source}/{skillId}/try', 'Try a skill', () => import('./skill-try.tsx')],
  [
    'skills/{source}/{skillId}/versions',
    'Versions of a skill',
    () => import('./skill-versions.tsx'),
  ],
  ['import', 'Import', () => import('./import.tsx'), 'publisher'],
  ['upstreams', 'Upstreams', upstreams],
  ['upstreams/{id}', 'Upstream', upstreams],
  ['users', 'Users', users],
  ['users/{uid}', 'User', users],
  ['users/{uid}/{section}', 'User', users],
  ['calls', 'Calls', calls],
  ['calls/{callId}', 'Call', calls],
  ['tasks', 'Tasks', () => import('./tasks.tsx')],
  ['secrets', 'Secrets', () => import('./secrets.tsx')],
  ['usage', 'Usage', () => import('./usage.tsx')],
  ['statements', 'Statements', statements],
  ['statements/{uid}/{month}', 'Statement', statements],
  ['trail', 'Trail', () => import('./trail.tsx')],
  ['health', 'Health', () => import('./health.tsx')],
]

const OF_USERS: readonly Row[] = [
  [OWN_PAGE, 'Balance', money],
  ['me/tools', 'Tools', tools],
  ['me/tools/{name}', 'Tool', tools],
  ['me/calls', 'Calls', ownCalls],
  ['me/calls/{callId}', 'Call', ownCalls],
  ['me/usage', 'Usage', money],
  ['me/ledger', 'Ledger', ownCalls],
  ['me/keys', 'Keys', access],
  ['me/secrets', 'Secrets', () => import('./me/secrets.tsx')],
  ['me/logins', 'Logins', access],
  ['me/connect', 'Connect', access],
]

const OF_EVERYBODY: readonly Row[] = [
  ...(isCataloguePublished
    ? [['catalogue', 'Catalogue', () => import('./catalogue.tsx')] as const]
    : []),
  ['welcome', 'Welcome', welcome],
  ['welcome/{code}', 'Welcome', welcome],
]

/** Pages without a segment that varies, which other pages lead to. */
const NOT_LISTED = ['skills-new', 'welcome']

export const PAGES: readonly Page[] = [
  ...OF_ADMINISTRATORS.map(toPage('administrators')),
  ...OF_USERS.map(toPage('users')),
  ...OF_EVERYBODY.map(toPage('everybody')),
]

function toPage(audience: Page['audience']): (row: Row) => Page {
  return ([path, title, load, role = 'viewer']) => {
    const isListed = !path.includes('{') && !NOT_LISTED.includes(path)
    return { path, title, load, role, audience, isListed }
  }
}

export type FoundPage = PageProps & { readonly page: Page }

/** Returns the page of an address, and what varies in it; undefined if it is for others. */
export function findPage(route: Route, who: Person): FoundPage | undefined {
  const { query } = route
  for (const page of PAGES) {
    const params = isFor(page, who) ? matchPath(page.path, toPath(route, who)) : undefined
    if (params !== undefined) return { page, params, query }
  }
  return undefined
}

/** Returns the path of the listed page that a route belongs to: the longest that it begins with. */
export function findListed(listed: readonly Page[], route: Route, who: Person): string | undefined {
  const path = `${toPath(route, who).join('/')}/`
  const found = listed.filter((page) => path.startsWith(`${page.path}/`))
  return found.sort((a, b) => b.path.length - a.path.length)[0]?.path
}

/** Users have their own first page. */
function toPath({ path }: Route, { kind }: Person): readonly string[] {
  return kind === 'user' && path.length === 0 ? [OWN_PAGE] : path
}

/** Before a sign-in every page is there, so that the address stays until it can be shown. */
function isFor({ audience }: Page, { kind }: Person): boolean {
  if (kind === 'nobody' || audience === 'everybody') return true
  return audience === (kind === 'user' ? 'users' : 'administrators')
}

/** Lists the pages of the navigation for this person. `may` judges roles. */
export function listPages(who: Person, may: (role: AdminRole) => boolean): readonly Page[] {
  return PAGES.filter((page) => {
    const { audience, isListed, role = 'viewer' } = page
    if (!isListed || !isFor(page, who)) return false
    if (who.kind === 'nobody') return audience === 'everybody'
    return audience !== 'administrators' || may(role)
  })
}

function matchPath(pattern: string, path: readonly string[]): readonly string[] | undefined {
  const parts = pattern === '' ? [] : pattern.split('/')
  if (parts.length !== path.length) return undefined
  const params: string[] = []
  for (const [index, part] of parts.entries()) {
    const given = path[index] ?? ''
    if (part.startsWith('{')) params.push(given)
    else if (part !== given) return undefined
  }
  return params
}
