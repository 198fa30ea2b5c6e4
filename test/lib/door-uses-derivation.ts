/**
 * The store port methods that a file can reach, read from the code. Conservative: every method that is named
 * counts as called, however far away; of a port that is passed to code outside this repository, or under a
 * type that does not name its methods, all methods count. The walk ends at a port: code behind it is not
 * followed.
 */
import ts from 'typescript'
import { sourceFile } from './door-program.ts'
import { type Method, storeMethods } from './store-methods.ts'

/** Port → its methods, both in order. */
export type PortUses = { readonly [port: string]: readonly string[] }

type Walk = {
  readonly checker: ts.TypeChecker
  readonly methods: ReadonlyMap<ts.Node, Method>
  readonly found: Set<Method>
  readonly todo: ts.Node[]
  /** Caches which types are ports or contain some. */
  readonly holders: Map<ts.Type, boolean>
}

export function usesReachedFrom(program: ts.Program, ...paths: readonly string[]): PortUses {
  const checker = program.getTypeChecker()
  const methods = storeMethods(program)
  const todo: ts.Node[] = paths.map((path) => sourceFile(program, path))
  const walk: Walk = { checker, methods, found: new Set(), todo, holders: new Map() }
  const visited = new Set<ts.Node>()
  for (let node = walk.todo.pop(); node !== undefined; node = walk.todo.pop()) {
    if (visited.has(node)) continue
    visited.add(node)
    visit(walk, node)
  }
  return usesOf([...walk.found])
}

function usesOf(found: readonly Method[]): PortUses {
  const ports = [...new Set(found.map(({ port }) => port))].sort()
  return Object.fromEntries(
    ports.map((name) => [
      name,
      found.flatMap(({ port, method }) => (port === name ? [method] : [])).sort(),
    ]),
  )
}

/** Types never run; an import only names what is followed where it is used. */
function visit(walk: Walk, node: ts.Node): void {
  if (ts.isImportDeclaration(node)) return
  if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return
  if (ts.isIdentifier(node)) follow(walk, symbolAt(walk, node))
  if (ts.isElementAccessExpression(node)) reachIn(walk, node)
  if (ts.isBindingElement(node)) destructure(walk, node)
  if (ts.isCallExpression(node)) handOut(walk, node)
  if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) lend(walk, node)
  node.forEachChild((child) => visit(walk, child))
}

function symbolAt({ checker }: Walk, node: ts.Identifier): ts.Symbol | undefined {
  if (ts.isShorthandPropertyAssignment(node.parent)) {
    return checker.getShorthandAssignmentValueSymbol(node.parent)
  }
  const symbol = checker.getSymbolAtLocation(node)
  const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
  return isAlias ? checker.getAliasedSymbol(symbol) : symbol
}

/** A method of a store port is a use; other code of this repository is walked too. */
function follow(walk: Walk, symbol: ts.Symbol | undefined): void {
  for (const declaration of symbol?.declarations ?? []) {
    const method = walk.methods.get(declaration)
    if (method !== undefined) walk.found.add(method)
    else if (isOurs(declaration)) walk.todo.push(declaration)
  }
}

/** `port['method']`; by a name that is not written there it may be any of them. */
function reachIn(walk: Walk, { expression, argumentExpression }: ts.ElementAccessExpression): void {
  const type = walk.checker.getTypeAtLocation(expression)
  if (ts.isStringLiteralLike(argumentExpression)) {
    follow(walk, type.getProperty(argumentExpression.text))
  } else followMethods(walk, type)
}

/** `const { method } = port`, and `...rest` of one. */
function destructure(
  walk: Walk,
  { dotDotDotToken, name, parent, propertyName }: ts.BindingElement,
) {
  if (!ts.isObjectBindingPattern(parent)) return
  const type = walk.checker.getTypeAtLocation(parent)
  const from = propertyName ?? name
  if (dotDotDotToken === undefined && (ts.isIdentifier(from) || ts.isStringLiteral(from))) {
    follow(walk, type.getProperty(from.text))
  } else followMethods(walk, type)
}

/** Code outside this repository may call all methods of what it is given. */
function handOut(walk: Walk, node: ts.CallExpression): void {
  const callee = walk.checker.getResolvedSignature(node)?.declaration
  if (callee !== undefined && isOurs(callee)) return
  for (const argument of node.arguments) {
    followMethods(walk, walk.checker.getTypeAtLocation(argument))
  }
}

/** A port that is passed on under another type: every method that this type names may be called. */
function lend(walk: Walk, node: ts.Expression): void {
  const given = walk.checker.getTypeAtLocation(node)
  if (!holdsPort(walk, given)) return
  const wanted = walk.checker.getContextualType(node)
  if (wanted !== undefined) lendAs(walk, given, wanted)
}

function lendAs(walk: Walk, given: ts.Type, wanted: ts.Type): void {
  const isBlind = (wanted.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0
  for (const property of given.getProperties()) {
    const asked = wanted.getProperty(property.name)
    const isNamed = asked !== undefined && methodOf(walk, asked) === undefined
    if (!isBlind && !isNamed) continue
    const method = methodOf(walk, property)
    if (method !== undefined) walk.found.add(method)
    const port = walk.checker.getTypeOfSymbol(property)
    const as = asked === undefined ? wanted : walk.checker.getTypeOfSymbol(asked)
    if (isPort(walk, port)) lendAs(walk, port, as)
  }
}

/** A port, or an object of ports. */
function holdsPort(walk: Walk, type: ts.Type): boolean {
  const { checker, holders } = walk
  const known = holders.get(type)
  if (known !== undefined) return known
  const holds =
    (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 &&
    (isPort(walk, type) ||
      type.getProperties().some((property) => isPort(walk, checker.getTypeOfSymbol(property))))
  holders.set(type, holds)
  return holds
}

function isPort(walk: Walk, type: ts.Type): boolean {
  return type.getProperties().some((property) => methodOf(walk, property) !== undefined)
}

function followMethods(walk: Walk, type: ts.Type): void {
  for (const property of type.getProperties()) {
    const method = methodOf(walk, property)
    if (method !== undefined) walk.found.add(method)
  }
}

function methodOf({ methods }: Walk, property: ts.Symbol): Method | undefined {
  return property.declarations?.flatMap((declaration) => methods.get(declaration) ?? [])[0]
}

function isOurs(node: ts.Node): boolean {
  const file = node.getSourceFile()
  return !file.isDeclarationFile && !file.fileName.includes('/node_modules/')
}
