/** A row of the table of pages: navigation, the palette and the router are made of it. */
import type { ComponentChildren } from 'preact'
import type { AdminRole } from '../../core/access/admin-role.ts'
import type { Command } from '../parts/command.ts'
import type { Route } from '../shell/route.ts'

export type Page = {
  /** The path in the address: `users`, or `users/{uid}` with one segment that varies. */
  readonly path: string
  readonly title: string
  /** For whom the page is. */
  readonly audience: 'administrators' | 'users' | 'everybody'
  /** The least role of an administrator that may read it. */
  readonly role?: AdminRole
  /** True for pages that the navigation names. */
  readonly isListed: boolean
  /** Fetches the script of the page, whose views have this path among them. */
  load(): Promise<{ readonly VIEWS: Views }>
}

/** What pages show, by their paths. */
export type Views = { readonly [path: string]: View }

export type View = {
  /** The command that shows the same, for the button that copies it as a line. */
  readonly command?: (page: PageProps) => Command
  render(page: PageProps): ComponentChildren
}

export type PageProps = {
  /** The segments that vary, in their order. */
  readonly params: readonly string[]
  readonly query: Route['query']
}
