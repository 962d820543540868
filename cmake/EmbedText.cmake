# cmake -DTEXT=<file> -DHEADER=<include> -DROOM=<namespace> -DFUNCTION=<name> -DOUTPUT=<source> -P EmbedText.cmake
# A source with a function of namespace plumbline::<ROOM> that returns the text of a file.
file(READ ${TEXT} text)
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace plumbline::${ROOM} {

std::string_view ${FUNCTION}() {
  // With its size: counting it is too much for a constant expression.
  static constexpr char kText[] = R\"_embedded_(${text})_embedded_\";
  return {kText, sizeof kText - 1};
}

}  // namespace plumbline::${ROOM}
")
