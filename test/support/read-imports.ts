/** Every way a TypeScript file names another module: static, re-export, dynamic, `import("…").Type`, require. */

import ts from "typescript";
import type { TextFile } from "./project.ts";

export interface Import {
  readonly specifier: string;
  /** "all": a default, a namespace, or something decided at run time. */
  readonly names: readonly string[] | "all";
  readonly line: number;
  /** `import()` or `require()`: loaded when it is called. */
  readonly isDynamic: boolean;
}

export function readImports(file: TextFile): Import[] {
  const source = parse(file);
  const imports: Import[] = [];
  const add = (specifier: ts.Node, names: Import["names"], isDynamic = false): void => {
    imports.push({
      // What is not a plain string cannot be checked, so it keeps its text and no rule allows it.
      specifier: ts.isStringLiteralLike(specifier) ? specifier.text : specifier.getText(source),
      names,
      line: source.getLineAndCharacterOfPosition(specifier.getStart(source)).line + 1,
      isDynamic,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, importedNames(node.importClause));
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      add(node.moduleSpecifier, exportedNames(node.exportClause));
    } else if (ts.isExternalModuleReference(node)) add(node.expression, "all");
    else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument, "all");
    } else if (ts.isCallExpression(node) && loadsModule(node.expression)) {
      const [specifier] = node.arguments;
      if (specifier !== undefined) add(specifier, "all", true);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return imports;
}

export function parse(file: TextFile): ts.SourceFile {
  return ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
}

function loadsModule(callee: ts.Expression): boolean {
  return (
    callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require")
  );
}

function importedNames(clause: ts.ImportClause | undefined): Import["names"] {
  if (clause === undefined) return "all";
  const { name, namedBindings } = clause;
  if (name !== undefined || namedBindings === undefined || ts.isNamespaceImport(namedBindings)) return "all";
  return namedBindings.elements.map((element) => (element.propertyName ?? element.name).text);
}

function exportedNames(clause: ts.NamedExportBindings | undefined): Import["names"] {
  if (clause === undefined || ts.isNamespaceExport(clause)) return "all";
  return clause.elements.map((element) => (element.propertyName ?? element.name).text);
}
