# cmake -DTEXT=<file> -DHEADER=<include> -DROOM=<namespace> -DFUNCTION=<name> -DOUTPUT=<source> -P EmbedText.cmake
# A source with a function of namespace plumbline::<ROOM> that returns the text of a file.
file(READ ${TEXT} text)
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace plumbline::${ROOM} {

std::string_view ${FUNCTION}() {
  static constexpr std::string_view kText = R\"_embedded_(${text})_embedded_\";
  return kText;
}

}  // namespace plumbline::${ROOM}
")
