//! Generates a method for each tool, prompt and resource template.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use super::module::{Emitter, described};
use crate::code::docs::lines;
use crate::code::names::ident;
use crate::model::ir::{Feature, Id, Method, Output, Type};
use crate::texts;

impl Emitter<'_> {
    /// The methods of the server's type, and the types that have the methods for prompts and
    /// resources.
    pub(super) fn methods(&self) -> TokenStream {
        let server = self.owner(Feature::Tool);
        let tools = self.methods_of(Feature::Tool);
        let parts = [
            (Feature::Prompt, "prompts", "Prompts"),
            (Feature::Template, "resources", "Resource templates"),
        ];
        let parts = parts.into_iter();
        let parts = parts.filter(|(feature, ..)| self.model.of(*feature).next().is_some());
        let (leading, types): (Vec<_>, Vec<_>) = parts
            .map(|(feature, name, title)| {
                let method = ident(name);
                let ty = self.owner(feature);
                let methods = self.model.of(feature).map(|it| self.name_of(it).unraw());
                let methods: Vec<_> = methods.map(|it| it.to_string()).collect();
                let doc = lines(&format!(
                    "The {name} of the server: `{}`.",
                    methods.join("`, `")
                ));
                // rustc suggests this method if one of the names is called on the server's type.
                let aliases = methods.iter().filter(|alias| *alias != name);
                let leading = quote! {
                    #doc
                    #(#[doc(alias = #aliases)])*
                    #[must_use]
                    pub fn #method(&self) -> #ty<'_> {
                        #ty(&self.0)
                    }
                };
                let methods = self.methods_of(feature);
                let doc = format!(" {title} of [`{server}`].");
                let ty = quote! {
                    #[doc = #doc]
                    #[derive(Clone, Copy, Debug)]
                    pub struct #ty<'a>(&'a Client);

                    impl #ty<'_> { #methods }
                };
                (leading, ty)
            })
            .unzip();
        quote! {
            impl #server { #tools #(#leading)* }
            #(#types)*
        }
    }

    /// The type that has the methods for `feature`.
    pub(super) fn owner(&self, feature: Feature) -> Ident {
        let server = ident(&self.names.server);
        match feature {
            Feature::Tool => server,
            Feature::Prompt => format_ident!("{server}Prompts"),
            Feature::Template => format_ident!("{server}Resources"),
        }
    }

    fn methods_of(&self, feature: Feature) -> TokenStream {
        self.model.of(feature).map(|it| self.method(it)).collect()
    }

    fn method(&self, method: &Method) -> TokenStream {
        let key = &method.key;
        let name = self.name_of(method);
        let what = match method.feature {
            Feature::Tool => "Calls the tool",
            Feature::Prompt => "Gets the prompt",
            Feature::Template => "Reads the resource",
        };
        let doc = described(&method.doc, &format!("{what} {}.", texts::code(key)));
        let ty = Some(&method.arguments).filter(|it| **it != Type::NOTHING);
        let ty = ty.map(|ty| self.rust(ty));
        let parameter = ty.as_ref().map(|ty| quote!(arguments: impl Into<#ty>));
        let pairs = ty.as_ref().map(|_| quote!(.pairs()));
        let nothing = quote!(Map::<String>::new());
        let arguments = ty.map_or(nothing, |ty| quote!(Into::<#ty>::into(arguments)));
        let (output, call) = match method.feature {
            Feature::Tool => self.call(method),
            Feature::Prompt => (
                quote!(Call<GetPromptRequest>),
                quote!(self.0.get_prompt(#key, arguments #pairs)),
            ),
            Feature::Template => (
                quote!(Call<ReadResourceRequest>),
                quote!(self.0.read_template(#key, arguments #pairs)),
            ),
        };
        quote! {
            #doc
            pub fn #name(&self, #parameter) -> #output {
                let arguments = #arguments;
                #call
            }
        }
    }

    /// The return type of a tool's method, and the expression that calls the tool.
    fn call(&self, tool: &Method) -> (TokenStream, TokenStream) {
        let key = &tool.key;
        let repeatable = tool.repeatable.then(|| quote!(.repeatable(true)));
        let (output, wrapped) = match (self.outputs.get(key), &tool.output) {
            (Some(path), _) => (quote!(#path), None),
            (None, Some(Output { ty, wrapped })) => (self.rust(ty), *wrapped),
            (None, None) => {
                let call = quote!(self.0.call_tool(#key, arguments).error_for_failure());
                return (quote!(TypedCall<CallToolResult>), quote!(#call #repeatable));
            }
        };
        let wrapped = wrapped.map(|wrapped| quote!(.wrapped(#wrapped)));
        let call = quote!(self.0.call(#key, arguments) #wrapped #repeatable);
        (quote!(TypedCall<#output>), call)
    }

    fn name_of(&self, method: &Method) -> Ident {
        ident(&self.names.of(method.feature)[&method.key])
    }

    /// The method whose arguments are the definition `id`.
    pub(super) fn sends(&self, id: Id) -> Option<&Method> {
        let mut methods = self.model.methods.iter();
        methods.find(|it| it.arguments == Type::Named(id))
    }

    /// The method whose output is the definition `id`.
    pub(super) fn returns(&self, id: Id) -> Option<&Method> {
        let is_output = |output: &Output| output.ty == Type::Named(id);
        let mut methods = self.model.methods.iter();
        methods.find(|it| it.output.as_ref().is_some_and(is_output))
    }

    pub(super) fn link(&self, method: &Method) -> String {
        let owner = self.owner(method.feature);
        let name = self.name_of(method);
        format!("[`{owner}::{name}`]")
    }
}
